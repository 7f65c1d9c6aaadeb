// Says how long ago or ahead an instant is, and keeps that true while the page stays. The server
// said how far away it was; only the time that passed here is added.
import { onContent } from "./morph.js";

const DAY_MS = 86_400_000;
const STEPS = [[DAY_MS, "d"], [3_600_000, "h"], [60_000, "min"], [1_000, "s"]];
// What was said of an element, and when it came.
const came = new WeakMap();
let elements = [];

// The same text as `times.ago` writes on the server; what lies ahead is below zero.
export function spoken(distance, isDue = false) {
  const size = Math.abs(distance);
  const step = STEPS.find(([ms]) => size >= ms);
  if (!step) return distance < 0 ? "in under 1 s" : isDue ? "due now" : "just now";
  const whole = Math.floor(size / step[0]);
  const hours = step[1] === "d" && whole < 10 ? Math.floor((size % DAY_MS) / 3_600_000) : 0;
  const words = `${whole.toLocaleString("en")} ${step[1]}${hours ? ` ${hours} h` : ""}`;
  return distance > 0 ? `${words} ago` : `in ${words}`;
}

// A section that a swap has left as it was keeps the time at which it came.
function look(at) {
  elements = [...document.querySelectorAll("time[data-ago]")];
  for (const element of elements) {
    const said = element.dataset.ago;
    if (came.get(element)?.said !== said) came.set(element, { said, at });
  }
  tick();
}

function tick() {
  const now = performance.now();
  for (const element of elements) {
    const { said, at } = came.get(element);
    const text = spoken(Number(said) + now - at, "due" in element.dataset);
    if (element.firstChild.data !== text) element.firstChild.data = text;
  }
}

onContent(look);
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id !== "live") look(performance.now());
});
setInterval(tick, 250);
