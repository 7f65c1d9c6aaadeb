// The confirmation page, shown as a dialog over the list that it came from.
import { unanswered } from "./failures.js";

const dialog = document.getElementById("dialog");

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target === dialog) {
    if (!dialog.open) dialog.showModal();
    else dialog.querySelector("[aria-invalid=true], [autofocus]")?.focus();
  } else if (dialog.open) {
    dialog.close();
  }
});

// What went wrong with a confirmation is said in it, and what was typed into it stays: sent again,
// it is the same call.
function say(text) {
  const line = dialog.querySelector("[data-failed]") || document.createElement("p");
  line.className = "field-error";
  line.dataset.failed = "";
  line.setAttribute("role", "alert");
  line.textContent = text;
  dialog.querySelector(".body")?.prepend(line);
  line.scrollIntoView({ block: "nearest" });
}

for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(failure, ({ detail }) => {
    if (dialog.contains(detail.requestConfig.elt)) say(unanswered(detail.xhr));
  });
}

dialog.addEventListener("close", () => dialog.replaceChildren());

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element)) return;
  const close = event.target.closest("[data-close]");
  if (close && dialog.contains(close)) {
    event.preventDefault();
    dialog.close();
  } else if (event.target.matches("dialog[open]")) {
    event.target.close();
  }
});
