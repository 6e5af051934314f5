// Light, dark or the system's choice. Runs in the head so that no page flashes in the wrong colours.
(() => {
  "use strict";
  const KEY = "perftrack-theme";
  const ORDER = ["auto", "light", "dark"];

  const read = () => {
    try {
      const stored = localStorage.getItem(KEY);
      return ORDER.includes(stored) ? stored : "auto";
    } catch {
      return "auto"; // storage can be refused; the switch then lasts for the page
    }
  };
  let theme = read();

  const apply = () => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  apply();

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const label = () => {
      button.textContent = `Theme: ${theme}`;
    };
    button.hidden = false;
    label();
    button.addEventListener("click", () => {
      theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length];
      try {
        localStorage.setItem(KEY, theme);
      } catch {
        // see read()
      }
      apply();
      label();
    });
  });
})();
