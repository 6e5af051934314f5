// Which hosts and devices have been silent for too long, by the clock of whoever reads the page.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const note = document.getElementById("nothing-lately");
  if (!note) return;
  const days = Number(note.dataset.days);
  if (!(days > 0)) return;
  const limit = Date.now() / 1000 - days * 86400;
  const rows = [...document.querySelectorAll("#reporting tbody tr")];
  for (const row of rows) {
    const quiet = Number(row.dataset.last) < limit;
    row.querySelector(".state").textContent = quiet ? `silent for more than ${days} days` : "reports";
    if (quiet) row.querySelector(".state").classList.add("warn");
  }
  if (rows.every((row) => Number(row.dataset.last) < limit)) {
    note.textContent = `Nothing at all was recorded in the last ${days} days.`;
    note.hidden = false;
    document.getElementById("all-report")?.remove(); // it speaks of cases beside others that report
  }
});
