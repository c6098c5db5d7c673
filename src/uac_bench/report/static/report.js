// Comfort only: without this file all cases and steps are open. It adds tabs, keys, the walk through a case, the theme.
"use strict";

(() => {
  const root = document.documentElement;
  const kept = (() => { try { return localStorage.getItem("uac-theme"); } catch { return null; } })();
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;

  document.addEventListener("DOMContentLoaded", () => {
    theme();
    for (const box of document.querySelectorAll("[data-steps]")) tabs(box);
    const cases = document.querySelector(".cases");
    if (cases) tabs(cases);
    for (const box of document.querySelectorAll("[data-steps]")) walk(box, cases);
    follow();
    addEventListener("hashchange", follow);
  });

  function theme() {
    const button = document.querySelector("[data-theme-switch]");
    button.hidden = false;
    button.addEventListener("click", () => {
      const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
      root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
      try { localStorage.setItem("uac-theme", root.dataset.theme); } catch { /* it holds for this page */ }
    });
  }

  const panels = (box) => [...box.children].filter((child) => child.dataset.tab);

  // A row of tabs for the parts of a box; one of them has the focus, arrows move on.
  function tabs(box) {
    const row = document.createElement("div");
    const isCases = box.classList.contains("cases");
    const wide = matchMedia("(min-width: 56.01rem)");
    row.setAttribute("role", "tablist");
    row.setAttribute("aria-label", box.dataset.tabs);
    const turn = () => row.setAttribute("aria-orientation", isCases && wide.matches ? "vertical" : "horizontal");
    turn();
    wide.addEventListener("change", turn);
    for (const panel of panels(box)) {
      const tab = document.createElement("button");
      tab.type = "button";
      tab.id = `tab-${panel.id}`;
      tab.textContent = panel.dataset.tab;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", panel.id);
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      tab.addEventListener("click", () => show(box, panel, true));
      row.append(tab);
    }
    row.addEventListener("keydown", (event) => {
      const every = panels(box);
      const here = every.findIndex((panel) => !panel.hidden);
      const to = {
        ArrowRight: here + 1, ArrowDown: here + 1, ArrowLeft: here - 1, ArrowUp: here - 1, Home: 0, End: every.length - 1,
      }[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const panel = every[(to + every.length) % every.length];
      show(box, panel, true);
      document.getElementById(`tab-${panel.id}`).focus();
    });
    box.prepend(row);
    box.classList.add("tabbed");
    show(box, panels(box)[0], false);
  }

  function show(box, panel, isChosen) {
    for (const each of panels(box)) {
      const tab = document.getElementById(`tab-${each.id}`);
      each.hidden = each !== panel;
      tab.setAttribute("aria-selected", String(each === panel));
      tab.tabIndex = each === panel ? 0 : -1;
    }
    const row = box.querySelector(":scope > [role=tablist]");
    const tab = document.getElementById(`tab-${panel.id}`);
    row.scrollLeft += tab.getBoundingClientRect().left - row.getBoundingClientRect().left - 40; // on a phone it scrolls
    if (isChosen) history.replaceState(null, "", `#${panel.id}`);
  }

  // Buttons below the steps: the next step, and after the last one the next case.
  function walk(box, cases) {
    const bar = document.createElement("div");
    bar.className = "walk";
    const [back, on] = ["Back", "Next"].map((text) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      bar.append(button);
      return button;
    });
    on.className = "primary";
    const move = (by) => {
      const every = panels(box);
      const to = every.findIndex((panel) => !panel.hidden) + by;
      if (every[to]) return show(box, every[to], true);
      const all = panels(cases);
      const next = all[(all.findIndex((panel) => !panel.hidden) + by + all.length) % all.length];
      const steps = next.querySelector("[data-steps]");
      show(steps, panels(steps)[by > 0 ? 0 : panels(steps).length - 1], false);
      show(cases, next, true);
      steps.querySelector(by > 0 ? ".walk .primary" : ".walk button").focus({ preventScroll: true });
      document.getElementById("story").scrollIntoView();
    };
    back.addEventListener("click", () => move(-1));
    on.addEventListener("click", () => move(1));
    box.append(bar);
  }

  // An address such as #count-answer opens the case and the step.
  function follow() {
    const panel = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!panel?.dataset.tab) return;
    const opened = [];
    for (let each = panel; each; each = each.parentElement?.closest("[data-tab]")) opened.unshift(each);
    for (const each of opened) show(each.parentElement, each, false);
    panel.closest(".case").scrollIntoView();
  }
})();
