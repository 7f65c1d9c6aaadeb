// Counts leases down. The server said what remains; only the time that passed here is taken off.
// Whether a lease has lapsed or was extended is the server's to say: a deadline that passes after
// the last read is shown as unread.
import { onContent } from "./morph.js";

const EXPIRING_MS = 7000;
const FARTHEST_MS = 10000 * 365.25 * 86400000;
const OLD_MS = 5000;
const UNREAD = "Its deadline has passed since this page was last read: lapsed, extended or done.";
const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
let leases = [];
let flows = [];
let cameAt = 0;
let isFollowing = true;
let onLapse = () => {};

// Calls `work` when a lease that the server has shown alive runs out on this page.
export function whenLapsed(work) {
  onLapse = work;
}

// Whether the page is being read anew. While it is not, it shows what it was told, and counts on.
export function follow(isRead) {
  isFollowing = isRead;
  tick();
}

// How many ms ago this page was last read.
export function age() {
  return performance.now() - cameAt;
}

function isOld() {
  return !isFollowing || age() > OLD_MS;
}

// The same text as `times.countdown` writes on the server.
export function countdown(remaining) {
  const sign = remaining <= 0 ? "+" : "";
  if (Math.abs(remaining) > FARTHEST_MS) return `${sign} more than 10,000 years`.trim();
  const all = Math.floor(Math.abs(remaining) / 100);
  if (all < 600) return `${sign}${Math.floor(all / 10)}.${all % 10} s`;
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(all / 600);
  const tenths = all % 600;
  const seconds = two(Math.floor(tenths / 10));
  if (minutes < 60) return `${sign}${minutes}:${seconds}.${tenths % 10}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${sign}${hours}:${two(minutes % 60)}:${seconds}`;
  return `${sign}${Math.floor(hours / 24).toLocaleString("en")} d ${hours % 24} h`;
}

function phase(one, remaining) {
  if (one.given <= 0) return "lapsed";
  if (remaining <= 0) return "unread";
  return (isOld() ? one.given : remaining) < EXPIRING_MS ? "expiring" : "live";
}

function lease(element) {
  const row = element.closest("tr");
  return {
    element,
    chip: row && row.querySelector("[data-phase-chip] .chip"),
    text: element.querySelector("b"),
    fill: element.querySelector(".fill"),
    given: Number(element.dataset.remaining),
    deadline: cameAt + Number(element.dataset.remaining),
    scale: Number(element.dataset.scale) || 1,
  };
}

// The head of a job's page says the phase of its one lease behind its state.
function sayInHead(name) {
  const chip = document.querySelector(".chip[data-says]");
  if (!chip) return;
  chip.dataset.phase = name;
  chip.querySelector("use").setAttribute("href", `#i-${name}`);
  chip.lastElementChild.textContent = `${chip.dataset.says}${name === "live" ? "" : `, ${name}`}`;
}

function setPhase(one, name) {
  if (one.element.dataset.phase === name) return;
  one.element.dataset.phase = name;
  if (name === "unread") onLapse();
  sayInHead(name);
  if (!one.chip) return;
  one.chip.title = name === "unread" ? UNREAD : "";
  one.chip.dataset.phase = name;
  one.chip.querySelector("use").setAttribute("href", `#i-${name}`);
  one.chip.lastElementChild.textContent = name;
}

function setWidth(fill, share) {
  const width = Math.min(100, Math.max(0, 100 * share)).toFixed(1);
  if (fill.getAttribute("width") !== width) fill.setAttribute("width", width);
}

function tick() {
  const now = performance.now();
  for (const one of leases) {
    const remaining = one.deadline - now;
    const text = countdown(remaining);
    if (one.text.textContent !== text) one.text.textContent = text;
    if (one.fill) setWidth(one.fill, remaining / one.scale);
    setPhase(one, phase(one, remaining));
  }
  const old = isOld();
  document.body.toggleAttribute("data-unread", old);
  const passed = old ? 0 : now - cameAt;
  for (const flow of flows) {
    flow.setAttribute("transform", `translate(${(-passed * flow.dataset.flow).toFixed(2)} 0)`);
  }
}

onContent((at) => {
  cameAt = at;
  leases = [...document.querySelectorAll(".lease[data-remaining]")].map(lease);
  flows = isStill ? [] : [...document.querySelectorAll("g[data-flow]")];
  tick();
});
setInterval(tick, 100);
