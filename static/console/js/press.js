// The button that was pressed says that its call is running, and cannot be pressed again meanwhile.
let pressed = null;

document.addEventListener("htmx:beforeSend", (event) => {
  const { verb, triggeringEvent } = event.detail.requestConfig;
  const button = triggeringEvent && triggeringEvent.submitter;
  const says = button && button.closest("[data-busy]");
  if (verb === "get" || !says) return;
  pressed = { button, xhr: event.detail.xhr, words: [...button.childNodes], busy: says.dataset.busy };
  if (button.matches(":focus-visible") && !button.closest("dialog")) {
    (button.closest("[data-row]") || document.getElementById("main")).focus({ preventScroll: true });
  }
  button.replaceChildren(pressed.busy);
  button.disabled = true;
});

// An answer that drew the button anew has settled it already.
document.addEventListener("htmx:afterRequest", (event) => {
  if (!pressed || pressed.xhr !== event.detail.xhr) return;
  const { button, words, busy } = pressed;
  pressed = null;
  if (button.textContent !== busy) return;
  button.replaceChildren(...words);
  button.disabled = false;
});
