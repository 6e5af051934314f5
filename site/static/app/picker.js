// A field to search a commit or a run in, with the keyboard or a finger: a combobox with a list.
"use strict";

// choices: [{text, commit, run, dirty}]; calls picked(choice). Returns {show(choice or null)}.
perftrack.picker = (place, { label, choices, picked }) => {
  const { h, utc, marks, root } = perftrack;
  const MOST = 60;
  const index = perftrack.get("history");
  const id = place.id;
  let chosen = null;
  let listed = [];
  let active = -1;

  const words = (choice) => {
    const sha = index.sha[choice.commit].slice(0, 10);
    return choice.run === null ? `${sha} ${index.subject[choice.commit]}` : `${sha} run of ${utc(index.run_started[choice.run])}${choice.dirty ? ", uncommitted changes" : ""}`;
  };
  const searched = choices.map((choice) => [`${index.sha[choice.commit]} ${words(choice)} ${index.subject[choice.commit]} ${index.author[choice.commit]} ${utc(index.author_time[choice.commit])}`.toLowerCase(), choice]);

  const input = h("input", {
    type: "text", role: "combobox", id: `${id}-input`, "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-list`,
    placeholder: "SHA, subject, author or date", autocomplete: "off", spellcheck: "false", autocapitalize: "off",
  });
  const list = h("ul", { role: "listbox", id: `${id}-list`, "aria-label": label, class: "choices", hidden: true });
  const about = h("p", { class: "meta about" });
  place.replaceChildren(h("label", { for: `${id}-input` }, label), h("div", { class: "combo" }, input, list), about);

  const isOpen = () => !list.hidden;
  const mark = (to) => {
    active = to;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === active)));
    const item = list.children[active];
    if (item) {
      input.setAttribute("aria-activedescendant", item.id);
      item.scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  };

  const option = (choice, i) => h("li", { role: "option", id: `${id}-${i}`, "aria-selected": "false", class: choice.run === null ? "commit" : "run" },
    h("span", { class: "sha" }, index.sha[choice.commit].slice(0, 10)), " ",
    h("span", { class: "subject" }, choice.run === null ? index.subject[choice.commit] : `run of ${utc(index.run_started[choice.run])}`), " ",
    choice.dirty ? h("span", { class: "warn" }, "uncommitted changes") : choice.run === null && h("span", { class: "quiet date" }, utc(index.author_time[choice.commit]).slice(0, 10)));

  const told = (text) => h("li", { role: "option", "aria-disabled": "true", "aria-selected": "false", class: "quiet none" }, text);

  const open = (text) => {
    const parts = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = searched.filter(([all]) => parts.every((part) => all.includes(part))).map(([, choice]) => choice);
    const at = parts.length ? 0 : Math.max(0, found.findIndex((choice) => choice.text === chosen?.text));
    const from = Math.max(0, Math.min(at - 10, found.length - MOST)); // the chosen one among its neighbours
    listed = found.slice(from, from + MOST);
    list.replaceChildren(...listed.map(option));
    if (!listed.length) list.append(told("No commit with results matches."));
    else if (found.length > listed.length) list.append(told(`${found.length - listed.length} more: type to narrow.`));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark(listed.length ? at - from : -1);
  };

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    input.value = chosen ? words(chosen) : "";
  };

  const pick = (choice) => {
    show(choice);
    picked(choice);
  };

  const KEYS = {
    ArrowDown: () => (isOpen() ? mark(Math.min(active + 1, listed.length - 1)) : open("")),
    ArrowUp: () => (isOpen() ? mark(Math.max(active - 1, 0)) : open("")),
    Enter: () => (isOpen() ? listed[active] && pick(listed[active]) : open("")),
    Escape: () => { if (isOpen()) close(); },
  };
  input.addEventListener("keydown", (event) => {
    if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  input.addEventListener("input", () => open(input.value));
  input.addEventListener("focus", () => input.select());
  input.addEventListener("click", () => { if (!isOpen()) open(""); });
  input.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", (event) => {
    const item = event.target.closest("[role=option]:not([aria-disabled])");
    if (item) pick(listed[[...list.children].indexOf(item)]);
  });

  const details = ({ commit, runs, run, dirty }) => {
    const sha = index.sha[commit];
    return [
      h("a", { class: "sha", href: marks.runPage(runs[0]) }, sha.slice(0, 10)), h("time", { title: "authored" }, utc(index.author_time[commit])), index.author[commit],
      runs.length > 1 && `${runs.length} runs`, run !== null && `measured ${utc(index.run_started[run])}`, dirty && h("span", { class: "warn" }, "uncommitted changes"),
      index.commit_url && /^[0-9a-f]{7,64}$/.test(sha) && h("a", { href: index.commit_url + sha, rel: "noreferrer" }, "commit on the forge"),
    ].filter(Boolean).map((part) => h("span", {}, part));
  };

  const show = (choice) => {
    chosen = choice;
    about.replaceChildren(...(choice ? details(choice) : []));
    close();
  };

  return { show };
};
