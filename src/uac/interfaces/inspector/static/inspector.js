// Comfort only: every page works without this file. It adds the theme switch, keys, and a slider without reloads.
"use strict";

(() => {
  const root = document.documentElement;
  const kept = (() => { try { return localStorage.getItem("uac-theme"); } catch { return null; } })();
  if (kept === "light" || kept === "dark") root.dataset.theme = kept; // before anything is drawn, so that nothing flashes

  document.addEventListener("DOMContentLoaded", () => {
    theme();
    help();
    keys();
    time();
    side();
    const tree = document.querySelector("[data-tree]");
    if (tree && matchMedia("(max-width: 56rem)").matches) tree.open = false;
  });

  // On a small screen the pages stand in a row that scrolls: the one that is shown comes into view, and edges fade.
  function side() {
    const row = document.querySelector("[data-side]");
    const here = row?.querySelector("[aria-current]");
    if (!row) return;
    const fade = () => {
      const left = row.scrollLeft > 1;
      const right = row.scrollLeft + row.clientWidth < row.scrollWidth - 1;
      row.dataset.more = [left && "left", right && "right"].filter(Boolean).join(" ");
    };
    if (here) {
      const middle = here.getBoundingClientRect().left - row.getBoundingClientRect().left + here.offsetWidth / 2;
      row.scrollLeft += middle - row.clientWidth / 2;
    }
    row.addEventListener("scroll", fade, { passive: true });
    addEventListener("resize", fade);
    fade();
  }

  function theme() {
    const button = document.querySelector("[data-theme-switch]");
    button.hidden = false;
    button.addEventListener("click", () => {
      const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
      const next = (root.dataset.theme || system) === "dark" ? "light" : "dark";
      root.dataset.theme = next;
      try { localStorage.setItem("uac-theme", next); } catch { /* it holds for this page */ }
    });
  }

  function help() {
    const button = document.querySelector("[data-help]");
    const dialog = document.getElementById("help");
    const list = dialog.querySelector("[data-letters]");
    for (const link of document.querySelectorAll("a[data-letter]")) {
      const row = document.createElement("div");
      const term = document.createElement("dt");
      for (const key of ["g", link.dataset.letter]) {
        const shown = document.createElement("kbd");
        shown.textContent = key;
        term.append(shown, " ");
      }
      const told = document.createElement("dd");
      told.textContent = link.textContent;
      row.append(term, told);
      list.append(row);
    }
    button.hidden = false;
    button.addEventListener("click", () => dialog.showModal());
  }

  function keys() {
    let waits = false; // for the letter after g
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, select, textarea, [contenteditable], dialog");
      if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
      if (waits) {
        waits = false;
        const link = document.querySelector(`a[data-letter="${CSS.escape(event.key)}"]`);
        if (link) { event.preventDefault(); link.click(); }
        return;
      }
      if (event.key === "g") { waits = true; setTimeout(() => { waits = false; }, 1500); }
      else if (event.key === "/") {
        const field = document.querySelector("[data-search]");
        if (field) { event.preventDefault(); field.focus(); field.select(); }
      }
      else if (event.key === "?") document.getElementById("help").showModal();
      else if (event.key === "j") step(1);
      else if (event.key === "k") step(-1);
    });
  }

  function step(by) {
    const rows = [...document.querySelectorAll("[data-row]")];
    if (!rows.length) return;
    const at = rows.findIndex((row) => row.classList.contains("at"));
    const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))];
    for (const row of rows) row.classList.toggle("at", row === next);
    const link = next.querySelector("a");
    if (link) link.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  // The slider: it stands for the list of steps beside it, and swaps the marked parts of the page.
  let asked = null;
  function time() {
    const form = document.querySelector("[data-time]");
    if (!form) return;
    const steps = form.querySelector("[data-steps]");
    const slider = form.querySelector("[data-slider]");
    const range = slider.querySelector("input");
    const offset = steps.options.length - 1 - Number(range.max); // there may be one before all steps
    form.querySelector("[data-without-js]").hidden = true;
    slider.hidden = steps.options.length < 2;
    const told = () => range.setAttribute("aria-valuetext", steps.selectedOptions[0]?.textContent || "");
    told();
    range.addEventListener("input", () => {
      steps.selectedIndex = Number(range.value) + offset;
      told();
      swap(form);
    });
    steps.addEventListener("change", () => {
      range.value = String(Math.max(steps.selectedIndex - offset, 0));
      told();
      swap(form);
    });
  }

  async function swap(form) {
    const address = `${form.action}?${new URLSearchParams(new FormData(form))}`;
    if (asked) asked.abort();
    asked = new AbortController();
    const mine = asked;
    const code = document.querySelector('[data-live="code"]');
    try {
      await new Promise((go) => setTimeout(go, 80)); // while it is being dragged, only where it rests is asked for
      if (mine.signal.aborted) return;
      code.setAttribute("aria-busy", "true");
      const answer = await fetch(address, { signal: mine.signal });
      if (!answer.ok) throw new Error(answer.statusText);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine.signal.aborted) return;
      replace(page);
      history.replaceState(null, "", address);
    } catch (error) {
      if (error.name !== "AbortError") location.assign(address); // the server says what is wrong
    } finally {
      if (asked === mine) code.removeAttribute("aria-busy");
    }
  }

  function replace(page) {
    const open = document.querySelector("[data-tree]")?.open;
    for (const part of document.querySelectorAll("[data-live]")) {
      const fresh = page.querySelector(`[data-live="${part.dataset.live}"]`);
      if (fresh) part.replaceChildren(...fresh.childNodes);
    }
    const tree = document.querySelector("[data-tree]");
    if (tree && open !== undefined) tree.open = open;
    const steps = document.querySelector("[data-steps]");
    document.querySelector("[data-said]").textContent = `Shown as of ${steps.selectedOptions[0]?.textContent || ""}`;
  }
})();
