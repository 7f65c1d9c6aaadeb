// The confirmation page, shown as a dialog over the list that it came from.
const dialog = document.getElementById("dialog");

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target === dialog) {
    if (!dialog.open) dialog.showModal();
  } else if (dialog.open) {
    dialog.close();
  }
});

// What went wrong is said in the strip, which lies below an open dialog.
for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(failure, () => dialog.open && dialog.close());
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
