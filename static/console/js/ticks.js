// Ticks are kept over the pages of a list as long as the tab is open. The number on a button is the
// number that it will act on, and every job goes along as it was when it was last seen.
import { onContent } from "./morph.js";

const MOST = 10_000;
const MOST_CHARS = 2_000_000;
const kept = new Map();
let where = "";
let chars = 0;
let isFull = false;
let before = [];
let last = null;
let pressed = null;

const form = () => document.querySelector("form[data-jobs]");
const boxes = () => [...document.querySelectorAll('form[data-jobs] input[name="job"]:enabled')];
// A value is attempts, stalls and name; the name alone tells which job it is.
const name = (key) => key.split(":").slice(2).join(":");
const nameOf = (box) => name(box.value);

function address() {
  const lane = new URLSearchParams(location.search).get("lane") || "";
  return `echomq.ticks ${form().dataset.of} ${location.pathname} ${lane}`;
}

function load() {
  where = address();
  before = [];
  kept.clear();
  chars = 0;
  for (const key of JSON.parse(sessionStorage.getItem(where) || "[]")) add(key);
}

function save() {
  if (!where) return;
  try {
    if (kept.size) sessionStorage.setItem(where, JSON.stringify([...kept.values()]));
    else sessionStorage.removeItem(where);
  } catch {
    // A tab that has no room to keep them has them on this page.
  }
}

// Whether there is room for one more.
function add(key) {
  drop(name(key));
  isFull = kept.size >= MOST || chars + key.length > MOST_CHARS;
  if (isFull) return false;
  kept.set(name(key), key);
  chars += key.length;
  return true;
}

function drop(job) {
  chars -= kept.get(job)?.length || 0;
  kept.delete(job);
}

function take(box) {
  if (!box.checked) drop(nameOf(box));
  else if (!add(box.value)) box.checked = false;
}

// A ticked job that has left the list is ticked no more. One that newer jobs have pushed to the next
// page is, and where jobs change places all the time it may be on any page.
function dropGone(names) {
  const now = new Set(names);
  const was = new Set(before);
  const hasMore = document.querySelector('a[rel="next"]') !== null;
  const isWhole = !hasMore && document.querySelector('a[rel="prev"]') === null;
  if (isWhole) {
    for (const job of [...kept.keys()]) if (!now.has(job)) drop(job);
  } else if (!("roams" in form().dataset)) {
    const end = names.findLastIndex((job) => was.has(job)) + 1;
    const pushed = hasMore ? names.slice(0, end).filter((job) => !was.has(job)).length : 0;
    for (const job of before.slice(0, before.length - pushed)) if (!now.has(job)) drop(job);
  }
  before = names;
}

// The page as it came: its boxes show what is kept, with the attempts that stand there now.
function settle() {
  if (!form()) return;
  if (where !== address()) load();
  const all = boxes();
  dropGone(all.map(nameOf));
  for (const box of all) {
    if (kept.has(nameOf(box))) box.checked = true;
    take(box);
  }
  changed();
}

// A browser that goes back remembers boxes as they were then, not what was ticked or cleared since.
function restore() {
  if (!form()) return;
  load();
  for (const box of boxes()) box.checked = kept.has(nameOf(box)) || box.defaultChecked;
}

function label(button, count) {
  const { one, many, none } = button.dataset;
  button.textContent = count === 0 ? none : count === 1 ? one : many.replace("#", number(count));
  button.disabled = count === 0;
}

const number = (count) => count.toLocaleString("en");

function said(count, elsewhere) {
  const most = isFull ? ` At most ${number(kept.size)} can be ticked at once.` : "";
  const there = elsewhere ? `, ${number(elsewhere)} on other pages` : "";
  return elsewhere || most ? `${number(count)} ticked${there}.${most}` : "";
}

function show() {
  const all = boxes();
  const here = all.filter((box) => box.checked).length;
  for (const button of document.querySelectorAll("[data-ticked]")) label(button, kept.size);
  const clear = document.querySelector("[data-clear]");
  if (clear) clear.hidden = kept.size === 0;
  const text = said(kept.size, kept.size - here);
  const counter = document.querySelector("[data-count]");
  if (counter && counter.textContent !== text) counter.textContent = text;
  if (counter) counter.hidden = !text;
  const whole = document.querySelector("[data-all]");
  if (!whole) return;
  whole.hidden = false;
  whole.checked = here > 0 && here === all.length;
  whole.indeterminate = here > 0 && here < all.length;
}

function changed() {
  save();
  show();
}

function tickUpTo(box) {
  const all = boxes();
  const [from, to] = [all.indexOf(last), all.indexOf(box)].sort((a, b) => a - b);
  if (from < 0) return;
  for (const one of all.slice(from, to + 1)) {
    one.checked = box.checked;
    take(one);
  }
}

function clearAll() {
  kept.clear();
  chars = 0;
  isFull = false;
  for (const box of boxes()) box.checked = false;
  changed();
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element)) return;
  pressed = event.target.closest("button");
  const box = event.target;
  if (box instanceof HTMLInputElement && box.name === "job") {
    if (event.shiftKey && last) tickUpTo(box);
    last = box;
  } else if (box.closest("[data-clear]")) {
    event.preventDefault();
    clearAll();
  }
}, true);

document.addEventListener("change", (event) => {
  if (!(event.target instanceof Element) || !form()?.contains(event.target)) return;
  if (event.target.matches("[data-all]")) {
    for (const box of boxes()) {
      box.checked = event.target.checked;
      take(box);
    }
  } else if (event.target.name === "job") {
    take(event.target);
  }
  changed();
});

// The buttons for ticked jobs take those of the other pages along.
document.addEventListener("formdata", ({ target, formData }) => {
  if (target !== form() || !pressed || !("ticked" in pressed.dataset)) return;
  const here = new Set(boxes().map(nameOf));
  for (const [job, key] of kept) if (!here.has(job)) formData.append("job", key);
});

// A confirmed call has settled its ticks; those that were refused stand on the page that follows.
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id !== "live" || !detail.requestConfig.elt.matches(".ask")) return;
  const outcome = document.getElementById("outcome");
  if (!outcome || outcome.classList.contains("lapsed")) return;
  for (const key of detail.requestConfig.formData.getAll("job")) drop(name(key));
  save();
});

window.addEventListener("pageshow", () => {
  restore();
  settle();
});
restore();
onContent(settle);
