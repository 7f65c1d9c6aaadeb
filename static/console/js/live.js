// Reads the page anew every few seconds, and never gets in the way.
import { clearFailure, clearStale, sentence, showDone, showFailure, showStale } from "./failures.js";
import { swap } from "./morph.js";
import { clockTime } from "./zone.js";

const htmx = window.htmx;
const live = document.getElementById("live");
const chip = document.getElementById("pause");
const EVERY = Number(live.dataset.poll || 0);
const LONGEST = 30000;

let isPaused = false;
let running = 0;
let failed = 0;
let wait = EVERY;
let timer = 0;
let poll = null;
let lastGood = new Date();

function isBusy() {
  return document.hidden || running > 0 || document.querySelector("dialog[open]") !== null;
}

function say(word, detail, css, pressed) {
  if (!chip) return;
  chip.hidden = false;
  chip.className = `chip ${css}`;
  chip.setAttribute("aria-pressed", String(pressed));
  chip.title = pressed ? "Read this page live again (p)" : "Stop reading this page anew (p)";
  chip.querySelector("[data-word]").textContent = word;
  chip.querySelector("[data-detail]").textContent = detail;
  const shape = css === "live" ? "live" : css === "soon" ? "expiring" : "paused";
  chip.querySelector("use").setAttribute("href", `#i-${shape}`);
}

function sayState() {
  const every = `every ${Math.round(wait / 1000)} s`;
  if (isPaused) say("paused", "", "plain", true);
  else if (failed) say("stale", `, trying ${every}`, "soon", false);
  else say("live", `, ${every}`, "live", false);
}

function plan(after) {
  clearTimeout(timer);
  if (EVERY && !isPaused) timer = setTimeout(read, after);
}

export function read() {
  if (!EVERY || poll) return;
  if (isBusy()) {
    plan(500);
    return;
  }
  poll = { started: performance.now(), xhr: null };
  const address = location.pathname + location.search;
  htmx.ajax("GET", address, { source: live, target: "#live", swap: "morph:innerHTML" }).catch(() => {});
}

// Reads at once, for a page whose address has just changed.
export function readNow() {
  drop();
  clearTimeout(timer);
  read();
}

function drop() {
  const dropped = poll;
  poll = null;
  if (dropped && dropped.xhr) dropped.xhr.abort();
}

// `detail.elt` is what an event was fired at; only the request says what asked.
function isPoll(event) {
  return event.detail.requestConfig.elt === live;
}

function succeeded(took) {
  failed = 0;
  lastGood = new Date();
  wait = Math.min(LONGEST, Math.max(EVERY, took * 4));
  clearStale();
}

function missed(xhr) {
  failed += 1;
  wait = Math.min(LONGEST, EVERY * 2 ** Math.min(failed - 1, 4));
  showStale(`Stale since ${clockTime(lastGood)}. ${sentence(xhr)}`);
}

document.addEventListener("htmx:beforeSend", (event) => {
  if (isPoll(event)) {
    if (poll) poll.xhr = event.detail.xhr;
  } else {
    running += 1;
    drop();
  }
});

document.addEventListener("htmx:afterRequest", (event) => {
  const { xhr, successful } = event.detail;
  if (!isPoll(event)) {
    running = Math.max(0, running - 1);
    if (successful) {
      clearFailure();
      lastGood = new Date();
    } else {
      showFailure(sentence(xhr));
    }
    plan(wait);
    return;
  }
  if (!poll || poll.xhr !== xhr) return;
  const took = performance.now() - poll.started;
  poll = null;
  if (successful) succeeded(took);
  else missed(xhr);
  sayState();
  plan(wait);
});

document.addEventListener("htmx:beforeSwap", (event) => {
  swap.byPoll = isPoll(event);
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (!isPoll(event) && event.detail.target === live) showDone();
});

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) read();
});
window.addEventListener("pageshow", (event) => {
  if (event.persisted) readNow();
});

export function togglePause() {
  if (!EVERY) return;
  isPaused = !isPaused;
  drop();
  sayState();
  if (isPaused) clearTimeout(timer);
  else read();
}

if (chip && EVERY) {
  chip.addEventListener("click", togglePause);
  sayState();
  plan(EVERY);
}
