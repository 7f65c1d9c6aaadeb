// The filter of a list works while it is typed. Elsewhere a form is a form.
import { readNow } from "./live.js";

const live = document.getElementById("live");
const isFilter = (target) => target instanceof HTMLInputElement && target.id === "filter";
let timer = 0;

function apply(input) {
  clearTimeout(timer);
  const address = new URL(location.href);
  for (const place of ["page", "cursor"]) address.searchParams.delete(place);
  if (input.value.trim()) address.searchParams.set("q", input.value);
  else address.searchParams.delete("q");
  history.replaceState(history.state, "", address);
  readNow();
}

// The input is part of what is read anew, so its container listens.
live.addEventListener("input", ({ target }) => {
  if (!isFilter(target)) return;
  clearTimeout(timer);
  timer = setTimeout(apply, 180, target);
});
live.addEventListener("submit", (event) => {
  const input = event.target.querySelector("#filter");
  if (!input) return;
  event.preventDefault();
  apply(input);
});
