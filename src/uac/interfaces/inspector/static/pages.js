// Comfort only: the pages that ask, watch and change work without this file. It sends forms by key and by choice, and
// shows the values of a plot beside the pointer (without it, the browser shows them as tooltips).
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
    let byKey = false; // arrows choose one after the other: only Enter sends then
    choice.addEventListener("pointerdown", () => { byKey = false; });
    choice.addEventListener("keydown", (event) => {
      byKey = event.key !== "Enter";
      if (!byKey) { event.preventDefault(); choice.form.requestSubmit(); }
    });
    choice.addEventListener("change", () => { if (!byKey) choice.form.requestSubmit(); });
  }
  for (const figure of document.querySelectorAll("[data-plot]")) values(figure);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const box of document.querySelectorAll(".values")) box.hidden = true;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
});

// The values at one place of a plot: those of all lines or columns there, in the order of the legend.
function values(figure) {
  const box = document.createElement("div");
  box.className = "values";
  box.hidden = true;
  figure.append(box);
  for (const plot of figure.querySelectorAll(".uac-plot")) {
    const panels = [...plot.querySelectorAll("g g")].map((panel) => [panel, marks(panel)]);
    for (const [, shapes] of panels) for (const shape of shapes) shape.node.querySelector("title").remove(); // else both are shown
    const leave = () => { box.hidden = true; for (const one of plot.querySelectorAll(".at")) one.classList.remove("at"); };
    plot.addEventListener("pointerleave", leave);
    plot.addEventListener("pointermove", (event) => {
      const found = nearest(panels, event);
      leave();
      if (found) show(figure, box, found, event);
    });
  }
}

function marks(panel) {
  return [...panel.querySelectorAll("rect, circle")].filter((node) => node.querySelector("title")).map((node) => {
    const [label, ...rest] = node.querySelector("title").textContent.split(": ");
    return { node, label, value: rest.join(": ") };
  });
}

function nearest(panels, event) {
  for (const [panel, shapes] of panels) {
    const area = panel.getBoundingClientRect();
    if (event.clientY < area.top || event.clientY > area.bottom || !shapes.length) continue;
    const boxes = shapes.map((shape) => shape.node.getBoundingClientRect());
    const across = new Set(boxes.map((box) => Math.round(box.left))).size > 1 && !isStacked(boxes);
    const away = boxes.map((box) => across ? Math.abs((box.left + box.right) / 2 - event.clientX) : Math.abs((box.top + box.bottom) / 2 - event.clientY));
    const best = shapes[away.indexOf(Math.min(...away))];
    return shapes.filter((shape) => shape.label === best.label);
  }
  return null;
}

// Bars lie one below the other: no two of them share a line.
function isStacked(boxes) {
  const middles = boxes.map((box) => Math.round((box.top + box.bottom) / 2));
  return new Set(middles).size === boxes.length && boxes.every((box) => Math.abs(box.height - boxes[0].height) < 1) && boxes[0].width !== boxes[0].height;
}

function show(figure, box, found, event) {
  const heading = document.createElement("strong");
  heading.textContent = found[0].label;
  box.replaceChildren(heading, ...found.map((shape) => {
    shape.node.classList.add("at");
    const line = document.createElement("span");
    line.textContent = shape.value;
    return line;
  }));
  box.hidden = false;
  const frame = figure.getBoundingClientRect();
  const left = event.clientX - frame.left + 14;
  box.style.left = `${Math.max(Math.min(left, frame.width - box.offsetWidth - 6), 6)}px`;
  box.style.top = `${Math.max(event.clientY - frame.top - box.offsetHeight - 10, 4)}px`;
}
