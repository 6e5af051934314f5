// Fills a benchmark's page: the one script that its file names. It runs in the head, before anything is painted.
((shell) => {
  "use strict";
  const { root, head, body, scripts } = shell;
  document.documentElement.dataset.root = root;
  // Both are templates of this site, with nothing of a benchmark in them.
  document.head.insertAdjacentHTML("beforeend", head);
  // The first change is to "interactive": the body is there, and no script that looks for its elements has run.
  document.addEventListener("readystatechange", () => document.body.insertAdjacentHTML("afterbegin", body), { once: true });
  for (const path of scripts) {
    const script = document.createElement("script");
    script.src = root + path.replace("{series}", document.documentElement.dataset.series);
    script.async = false; // in their order
    document.head.append(script);
  }
})
