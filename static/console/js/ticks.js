// Ticks: the number on the button is the number that it will act on.
import { onContent } from "./morph.js";

let last = null;

const boxes = () => [...document.querySelectorAll('form[data-jobs] input[name="job"]:enabled')];

function show() {
  const all = boxes();
  const count = all.filter((box) => box.checked).length;
  const button = document.querySelector("[data-ticked]");
  if (!button) return;
  const { one, many, none } = button.dataset;
  button.textContent = count === 0 ? none : count === 1 ? one : many.replace("#", count);
  button.disabled = count === 0;
  const clear = document.querySelector("[data-clear]");
  clear.hidden = count === 0;
  const whole = document.querySelector("[data-all]");
  if (whole) {
    whole.hidden = false;
    whole.checked = count > 0 && count === all.length;
    whole.indeterminate = count > 0 && count < all.length;
  }
}

function tickUpTo(box) {
  const all = boxes();
  const [from, to] = [all.indexOf(last), all.indexOf(box)].sort((a, b) => a - b);
  if (from >= 0) for (const one of all.slice(from, to + 1)) one.checked = box.checked;
}

document.addEventListener("click", (event) => {
  const box = event.target;
  if (box instanceof HTMLInputElement && box.name === "job") {
    if (event.shiftKey && last) tickUpTo(box);
    last = box;
  } else if (box instanceof Element && box.closest("[data-clear]")) {
    event.preventDefault();
    for (const one of boxes()) one.checked = false;
    show();
  }
});

document.addEventListener("change", (event) => {
  if (event.target instanceof Element && event.target.matches("[data-all]")) {
    for (const one of boxes()) one.checked = event.target.checked;
  }
  show();
});

onContent(show);
