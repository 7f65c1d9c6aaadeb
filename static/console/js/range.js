// Dragging over the bars of a page asks for the time that they cover. Each bar alone is a link.
const live = document.getElementById("live");
// A pointer that moves less far than this presses a bar.
const LEAST_PX = 6;
let drag = null;
// The section whose new bars came during a drag: those that are dragged over stay.
let late = null;

const barsOf = (target) => (target instanceof Element ? target.closest("svg[data-step]") : null);

// The number of the box at an event, within those that there are.
function boxAt(svg, event) {
  const { left, width } = svg.getBoundingClientRect();
  const boxes = Number(svg.dataset.boxes);
  return Math.min(boxes - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * boxes)));
}

function span() {
  const [first, last] = [drag.from, drag.to].sort((one, other) => one - other);
  return { first, last: last + 1 };
}

function showPicked() {
  const rect = drag.svg.querySelector(".picked");
  const box = drag.svg.viewBox.baseVal.width / Number(drag.svg.dataset.boxes);
  const { first, last } = span();
  rect.setAttribute("x", String(first * box));
  rect.setAttribute("width", String((last - first) * box));
  rect.removeAttribute("hidden");
}

function drop() {
  drag?.svg.querySelector(".picked")?.setAttribute("hidden", "");
  drag = null;
  if (late) window.htmx.trigger(late, "grown");
  late = null;
}

// As the console writes an instant that always means the same.
const text = (ms) => new Date(ms).toISOString().replace("T", " ").replace(".000", "");

function address() {
  const { step, first, from, to, narrow } = drag.svg.dataset;
  const picked = span();
  const at = (box) => Number(first) + box * Number(step);
  const url = new URL(narrow, location.href);
  url.searchParams.set("from", text(Math.max(Number(from), at(picked.first))));
  url.searchParams.set("to", text(Math.min(Number(to), at(picked.last))));
  return url;
}

live.addEventListener("pointerdown", (event) => {
  const svg = barsOf(event.target);
  if (!svg || event.button !== 0 || !event.isPrimary) return;
  const box = boxAt(svg, event);
  drag = { svg, from: box, to: box, x: event.clientX, isFar: false };
});

document.addEventListener("pointermove", (event) => {
  if (!drag || !event.isPrimary) return;
  drag.isFar ||= Math.abs(event.clientX - drag.x) >= LEAST_PX;
  drag.to = boxAt(drag.svg, event);
  if (drag.isFar) showPicked();
});

document.addEventListener("pointerup", (event) => {
  if (!drag || !event.isPrimary) return;
  if (!drag.isFar) {
    drop();
    return;
  }
  // The press that ends a drag over a bar is no press of that bar.
  const stop = (click) => click.preventDefault();
  document.addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => document.removeEventListener("click", stop, { capture: true }));
  const url = address();
  drop();
  location.assign(url);
});

document.addEventListener("pointercancel", drop);
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target } = event.detail;
  if (!drag || target.id === "live" || !target.contains(drag.svg)) return;
  event.detail.shouldSwap = false;
  late = target;
});
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") drop();
});
// The browser would drag the link away.
live.addEventListener("dragstart", (event) => {
  if (barsOf(event.target)) event.preventDefault();
});
