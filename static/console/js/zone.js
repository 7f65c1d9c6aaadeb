// Times of day in UTC or in this computer's zone. The instants themselves came with the page.
import { onContent } from "./morph.js";

const button = document.getElementById("zone");
const KEY = "echomq.zone";
let isLocal = localStorage.getItem(KEY) === "local";
let cameAt = 0;

function parts(date) {
  const two = (number) => String(number).padStart(2, "0");
  const pick = (name) => (isLocal ? date[`get${name}`]() : date[`getUTC${name}`]());
  return {
    day: `${pick("FullYear")}-${two(pick("Month") + 1)}-${two(pick("Date"))}`,
    minute: `${two(pick("Hours"))}:${two(pick("Minutes"))}`,
    second: two(pick("Seconds")),
    ms: String(pick("Milliseconds")).padStart(3, "0"),
  };
}

function zoneName() {
  return isLocal ? "local" : "UTC";
}

export function clockTime(date) {
  const { minute, second } = parts(date);
  return `${minute}:${second} ${zoneName()}`;
}

function showTime(element, today) {
  const date = new Date(Number(element.dataset.ms));
  if (Number.isNaN(date.getTime())) return;
  const { day, minute, second, ms } = parts(date);
  element.title = `${day} ${minute}:${second}.${ms} ${zoneName()}`;
  const exact = element.querySelector(".exact");
  if (exact) exact.textContent = day === today ? `${minute}:${second}` : `${day} ${minute}`;
}

function showClock() {
  const clock = document.getElementById("clock");
  if (!clock) return;
  const date = new Date(Number(clock.dataset.now) + performance.now() - cameAt);
  const { minute, second, ms } = parts(date);
  clock.textContent = `${minute}:${second}.${ms[0]}`;
}

function show() {
  const clock = document.getElementById("clock");
  const today = parts(clock ? new Date(Number(clock.dataset.now)) : new Date()).day;
  for (const element of document.querySelectorAll("time[data-ms]")) showTime(element, today);
  for (const element of document.querySelectorAll("[data-zone]")) element.textContent = zoneName();
  showClock();
}

if (button) {
  const label = () => {
    button.firstElementChild.textContent = isLocal ? "local time" : "UTC";
  };
  button.hidden = false;
  label();
  button.addEventListener("click", () => {
    isLocal = !isLocal;
    localStorage.setItem(KEY, isLocal ? "local" : "UTC");
    label();
    show();
  });
}

onContent((at) => {
  cameAt = at;
  show();
});
setInterval(showClock, 100);
