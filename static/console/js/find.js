// On the overview the filter works while it is typed; elsewhere it leads to the overview.
import { readNow } from "./live.js";

const input = document.getElementById("find");
let timer = 0;

function apply() {
  const address = new URL(location.href);
  address.searchParams.delete("page");
  if (input.value.trim()) address.searchParams.set("q", input.value);
  else address.searchParams.delete("q");
  history.replaceState(history.state, "", address);
  readNow();
}

if (input && input.form.getAttribute("action") === location.pathname) {
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 180);
  });
  input.form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    apply();
  });
}
