// Comfort only: the pages that ask, watch and change work without this file. It sends forms by key and by choice.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  for (const field of document.querySelectorAll("[data-code]")) {
    for (const hint of document.querySelectorAll("[data-hint]")) hint.hidden = false;
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        field.form.requestSubmit();
      }
    });
  }
  for (const choice of document.querySelectorAll("[data-send]")) {
    for (const button of choice.form.querySelectorAll("[data-without-js]")) button.hidden = true;
    choice.addEventListener("change", () => choice.form.requestSubmit());
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
});
