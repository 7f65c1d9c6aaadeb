// Everything by keyboard.
import { toggleReading } from "./live.js";

const help = document.getElementById("keys");
const rows = () => [...document.querySelectorAll("[data-row]")];
const current = () => document.activeElement && document.activeElement.closest("[data-row]");

function move(step) {
  const all = rows();
  if (!all.length) return;
  const at = all.indexOf(current());
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step;
  const row = all[Math.min(all.length - 1, Math.max(0, next))];
  row.focus();
  row.scrollIntoView({ block: "nearest" });
}

function open() {
  const row = current();
  if (!row) return;
  const link = row.querySelector("a[data-open]");
  if (link) link.click();
  else for (const details of row.querySelectorAll("details")) details.open = !details.open;
}

function tick() {
  const box = current() && current().querySelector('input[name="job"]');
  if (box) box.click();
}

// What presses the button of a key: that of the ticked jobs, of the row, of the page.
function pressOf(key) {
  const named = `[data-key="${CSS.escape(key)}"]`;
  const ticked = document.querySelector(`[data-ticked]${named}`);
  const ofPage = () => document.querySelector(`main ${named}:not([data-ticked], [data-row] *)`);
  const found = ticked && !ticked.disabled ? ticked : current()?.querySelector(named) || ofPage();
  return found && (() => found.click());
}

// To a field, over what was typed there before.
function type(id) {
  const field = document.getElementById(id);
  field?.focus();
  field?.select();
}

function isTyping(target) {
  return target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select");
}

// Only the keys that do something on this page are listed.
function showHelp() {
  for (const line of help.querySelectorAll("[data-needs]")) {
    line.hidden = document.querySelector(line.dataset.needs) === null;
  }
  help.showModal();
}

const button = document.getElementById("help");
if (button) {
  button.hidden = false;
  button.addEventListener("click", showHelp);
}

// All other keys are those that buttons name.
const MOVES = {
  "/": () => type("find"),
  f: () => type("filter"),
  j: () => move(1),
  k: () => move(-1),
  x: tick,
  p: toggleReading,
  "?": showHelp,
};

function closeMenu() {
  const menu = document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") closeMenu();
  if (event.key === "Enter" && event.target instanceof HTMLElement && event.target.matches("[data-row]")) {
    open();
    return;
  }
  const act = MOVES[event.key] || pressOf(event.key);
  if (!act) return;
  event.preventDefault();
  act();
});
