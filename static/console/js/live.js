// Reads the page anew every few seconds, and never gets in the way.
import { age, follow, whenLapsed } from "./clock.js";
import { spoken } from "./since.js";
import {
  clearFailure,
  clearSilence,
  clearStale,
  sentence,
  showDone,
  showFailure,
  showStale,
  unanswered,
} from "./failures.js";
import { onContent, swap } from "./morph.js";
import { onLeave } from "./steady.js";
import { clockTime } from "./zone.js";

const htmx = window.htmx;
const live = document.getElementById("live");
const chip = document.getElementById("pause");
const EVERY = Number(live.dataset.poll || 0);
const LONGEST = 30000;
const SOONEST = 1000;
const STOPPED = "echomq.stopped";

// A stop lasts from page to page, as long as the tab is open.
let isStopped = sessionStorage.getItem(STOPPED) === "yes";
let running = 0;
let failed = 0;
let wait = EVERY;
let timer = 0;
let poll = null;
let lastGood = new Date();
let lastRead = 0;

// What the content says of itself: a result stays as it is, and what was seen may be of earlier.
const isStill = () => document.querySelector("#main[data-still]") !== null;
const isStale = () => failed > 0 || document.querySelector(".rail[data-stale]") !== null;

function isBusy() {
  return document.hidden || running > 0 || document.querySelector("dialog[open]") !== null;
}

function title(pressed) {
  if (isStill()) return "This page stays as it is.";
  return pressed ? "Read this page anew again (p)" : "Stop reading this page anew (p)";
}

function say(word, detail, css, pressed) {
  if (!chip) return;
  chip.hidden = false;
  chip.className = `chip ${css}`;
  chip.disabled = isStill();
  chip.setAttribute("aria-pressed", String(pressed));
  chip.title = title(pressed);
  chip.querySelector("[data-word]").textContent = word;
  chip.querySelector("[data-detail]").textContent = detail;
  const shape = css === "live" ? "live" : css === "soon" ? "expiring" : "paused";
  chip.querySelector("use").setAttribute("href", `#i-${shape}`);
}

function sayState() {
  const every = `every ${Math.round(wait / 1000)} s`;
  if (isStill()) say("not reading", "", "plain", false);
  else if (isStopped) say("stopped", `, read ${spoken(age())}`, "plain", true);
  else if (isStale()) say("stale", `, trying ${every}`, "soon", false);
  else say("reading", ` ${every}`, "live", false);
  follow(!isStopped && !isStale());
}

function plan(after) {
  clearTimeout(timer);
  if (EVERY && !isStopped && !isStill()) timer = setTimeout(read, after);
}

export function read() {
  if (!EVERY || poll || isStill()) return;
  if (isBusy()) {
    plan(500);
    return;
  }
  lastRead = performance.now();
  poll = { started: lastRead, xhr: null };
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

function freshened() {
  failed = 0;
  lastGood = new Date();
  clearStale();
}

function succeeded(took) {
  freshened();
  wait = Math.min(LONGEST, Math.max(EVERY, took * 4));
  clearSilence();
}

function missed(xhr) {
  // Whoever has lost the right to see the page is told so by the page itself.
  if (xhr.status === 403) location.reload();
  failed += 1;
  wait = Math.min(LONGEST, EVERY * 2 ** Math.min(failed - 1, 4));
  const away = xhr.getResponseHeader("X-Out-Of-Reach");
  showStale(`Stale since ${clockTime(lastGood)}. ${sentence(xhr)}`, away);
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
    const isWrite = event.detail.requestConfig.verb !== "get";
    if (successful) {
      // A section that loads itself says nothing of what failed elsewhere.
      if (isWrite || event.detail.target === live) clearFailure();
      if (event.detail.target === live) freshened();
    } else {
      const isSilence = xhr.status === 0 || xhr.status === 503;
      showFailure(isWrite ? unanswered(xhr) : sentence(xhr), isSilence);
    }
    sayState();
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
  if (!document.hidden && !isStopped) read();
});
onLeave((isAsked) => {
  if (isAsked || !isStopped) readNow();
});
// The server's judgement of a lease whose deadline has just passed; at most one such read a second.
whenLapsed(() => {
  if (isStopped || !EVERY || poll || failed) return;
  plan(Math.max(50, lastRead + SOONEST - performance.now()));
});
onContent(() => {
  const role = document.querySelector(".rail[data-role]");
  if (!role) return;
  for (const shown of document.querySelectorAll("[data-my-role]")) shown.textContent = role.dataset.role;
});
window.addEventListener("pageshow", (event) => {
  if (event.persisted && !isStopped) readNow();
});

export function toggleReading() {
  if (!EVERY || isStill()) return;
  isStopped = !isStopped;
  sessionStorage.setItem(STOPPED, isStopped ? "yes" : "no");
  drop();
  sayState();
  if (isStopped) clearTimeout(timer);
  else read();
}

if (chip && EVERY) {
  chip.addEventListener("click", toggleReading);
  sayState();
  plan(EVERY);
  setInterval(() => isStopped && sayState(), 1000);
}
