// Clock times in the console's zone, in UTC or in this computer's zone. The texts of the console's
// zone came with the page; the others are written as `times.py` would write them.
import { onContent } from "./morph.js";

const button = document.getElementById("zone");
const KEY = "echomq.zone";
const QUARTER_MS = 91 * 86_400_000;
// The first and the last instant of the server's calendar.
const FIRST_MS = -62_135_596_800_000;
const LAST_MS = 253_402_300_799_999;
let cameAt = 0;
const texts = new WeakMap();

// Each says how many seconds its clocks are ahead of UTC at an instant.
const UTC = { key: "UTC", name: "UTC", place: "", ahead: () => 0 };
const LOCAL = {
  key: "local",
  name: Intl.DateTimeFormat().resolvedOptions().timeZone,
  place: "this computer, ",
  ahead: (date) => Math.round(-60 * date.getTimezoneOffset()),
};
// Of the console's zone the page knows how its clocks stand now, and in the quarters to come.
const CONSOLE = {
  key: button && button.dataset.name === "UTC" ? "UTC" : "console",
  place: button && button.dataset.city ? `${button.dataset.city}, ` : "",
  ahead: () => Number((document.querySelector("#clock, .rail[data-ahead]") || button).dataset.ahead),
};

function quarters(zone) {
  const said = button.dataset.quarters.split(" ").map(Number);
  if (zone === CONSOLE) return said;
  return said.map((_, at) => zone.ahead(new Date(Number(button.dataset.now) + at * QUARTER_MS)));
}

function choices() {
  const all = [CONSOLE, UTC, LOCAL];
  const isSame = (one, other) => String(quarters(one)) === String(quarters(other));
  return all.filter((one, at) => !all.slice(0, at).some((earlier) => isSame(earlier, one)));
}

const zones = button ? choices() : [UTC];
let shown = zones.find(({ key }) => key === localStorage.getItem(KEY)) || zones[0];

// Now, by a clock that came with the page: that of the queue's server, or else of the console.
function now() {
  const clock = document.getElementById("clock");
  if (clock) return new Date(Number(clock.dataset.now) + performance.now() - cameAt);
  const came = performance.getEntriesByType("navigation")[0]?.responseStart || 0;
  return button ? new Date(Number(button.dataset.now) + performance.now() - came) : new Date();
}

function offset(seconds) {
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  const size = Math.abs(seconds);
  const tail = size % 60 ? `:${two(size % 60)}` : "";
  return `${seconds < 0 ? "−" : "+"}${two(size / 3600)}:${two((size / 60) % 60)}${tail}`;
}

// What the clocks of a zone show; those of UTC where their calendar has no such day.
function read(date, zone) {
  const seconds = zone.ahead(date);
  const ms = date.getTime() + 1000 * seconds;
  if (ms < FIRST_MS || ms > LAST_MS) return read(date, UTC);
  const text = new Date(ms).toISOString();
  const word = zone.key === "UTC" ? "UTC" : `UTC${offset(seconds)}`;
  return { day: text.slice(0, 10), clock: text.slice(11, 23), seconds, word };
}

// The time of day of an instant of this computer's clock, which may go wrong.
export function clockTime(date) {
  const { clock, word } = read(new Date(date.getTime() + now().getTime() - Date.now()), shown);
  return `${clock.slice(0, 8)} ${word}`;
}

// What is the same already stays, and with it a selection of the person.
function put(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

// "UTC" before an offset gives way where there is little room.
function putZone(element, word) {
  if (element.textContent === word && (word === "UTC" || element.firstElementChild)) return;
  const name = document.createElement("span");
  name.textContent = "UTC";
  if (word !== "UTC") name.className = "wide-only";
  element.replaceChildren(name, word.slice(3));
}

function textsOf(element, today) {
  const date = new Date(Number(element.dataset.ms));
  if (shown === CONSOLE || Number.isNaN(date.getTime())) return texts.get(element);
  const [here, utc] = [read(date, shown), read(date, UTC)];
  const exact = ({ day, clock, word }) => `${day} ${clock} ${word}`;
  const isBare = here.day === today.day && !("day" in element.dataset);
  const time = isBare ? here.clock.slice(0, 8) : `${here.day} ${here.clock.slice(0, 5)}`;
  return {
    title: here.word === "UTC" ? exact(utc) : `${exact(here)} (${exact(utc)})`,
    dated: exact(here),
    time: here.seconds === today.seconds ? time : `${time} ${offset(here.seconds)}`,
  };
}

function showTime(element, today) {
  const said = textsOf(element, today);
  if (!said) return;
  if (element.title !== said.title) element.title = said.title;
  element.toggleAttribute("data-rewritten", shown !== CONSOLE);
  put(element.querySelector(".exact"), "dated" in element.dataset ? said.dated : said.time);
}

function showClock() {
  put(document.getElementById("clock"), read(now(), shown).clock.slice(0, 10));
}

function show() {
  const today = read(now(), shown);
  for (const element of document.querySelectorAll("time[data-ms]")) showTime(element, today);
  for (const element of document.querySelectorAll("[data-zone]")) putZone(element, today.word);
  for (const element of document.querySelectorAll("[data-place]")) put(element, shown.place);
  showClock();
}

// The texts as the server wrote them, to come back to. What is read anew loses its mark.
function keep(within) {
  for (const element of within.querySelectorAll("time[data-ms]:not([data-rewritten])")) {
    const time = element.querySelector(".exact")?.textContent || "";
    texts.set(element, { title: element.title, time, dated: time });
  }
}

if (button && zones.length > 1) {
  button.disabled = false;
  button.title = "Show clock times in another zone";
  button.addEventListener("click", () => {
    shown = zones[(zones.indexOf(shown) + 1) % zones.length];
    localStorage.setItem(KEY, shown.key);
    show();
  });
}

// A time that is typed is meant on the clocks that are shown.
document.addEventListener("formdata", ({ target, formData }) => {
  if (shown !== CONSOLE && target.querySelector("[data-moment]")) formData.set("zone", shown.name);
});

onContent((at) => {
  cameAt = at;
  keep(document.getElementById("live"));
  show();
});
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id === "live") return;
  keep(detail.target);
  show();
});
setInterval(showClock, 100);
