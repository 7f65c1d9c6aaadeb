// The menu of a queue closes when something of it is chosen, when another place is pressed, and by
// Escape.
const opened = () => document.querySelector("details.queue-menu[open]");

function shut(menu) {
  const had = menu.contains(document.activeElement);
  menu.open = false;
  if (had) menu.querySelector("summary").focus({ preventScroll: true });
}

document.addEventListener("click", ({ target }) => {
  const menu = opened();
  if (!menu || !(target instanceof Element)) return;
  if (!menu.contains(target) || target.closest("a, button")) shut(menu);
});

document.addEventListener("keydown", (event) => {
  const menu = opened();
  if (menu && event.key === "Escape" && !document.querySelector("dialog[open]")) shut(menu);
});
