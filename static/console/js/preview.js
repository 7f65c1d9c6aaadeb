// A sweep or a reap does what its preview showed: while the fields say something else, it cannot be
// pressed.
import { onContent } from "./morph.js";

const isSame = (one, other) => one.value.trim() !== "" && Number(one.value) === Number(other.value);

function show() {
  const sweep = document.querySelector("form[data-previewed]");
  const asked = document.querySelector(".sweep-form");
  if (!sweep || !asked) return;
  const button = sweep.querySelector("button");
  const names = ["max_stalled", "limit"].filter((name) => name in asked.elements);
  const matches = names.every((name) => isSame(asked.elements[name], sweep.elements[name]));
  button.textContent = matches ? button.dataset.ready : "Preview first";
  button.disabled = !matches || "barred" in button.dataset;
}

document.addEventListener("input", (event) => {
  if (event.target instanceof Element && event.target.closest(".sweep-form")) show();
});

onContent(show);
