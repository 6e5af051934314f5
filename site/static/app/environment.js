// The fields of an environment, those that must match first.
"use strict";

perftrack.environment = ({ fields, absent }) => {
  const { h } = perftrack;
  const list = (rows) => h("dl", { class: "fields" }, rows.map(([label, why, , value, kind]) => h("div", {}, h("dt", { title: why }, label), h("dd", { class: kind }, value))));
  const key = fields.filter((row) => row[2]);
  const context = fields.filter((row) => !row[2]);
  return [
    h("div", { class: "fieldsets" },
      h("section", {}, h("h3", {}, "Key fields ", h("small", {}, "must match to compare")), list(key)),
      h("section", {}, h("h3", {}, "Context ", h("small", {}, "shown, never required")), context.length ? list(context) : h("p", { class: "quiet" }, "Nothing was recorded."))),
    absent.length > 0 && h("details", { class: "absent" }, h("summary", {}, `${absent.length} fields that do not apply here`), h("p", { class: "quiet" }, absent.join(", "))),
  ].filter(Boolean);
};
