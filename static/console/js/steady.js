// Rows with buttons stay where they are while a person is at them: nothing slides under a pointer.
// What came and what left is counted on a button that brings the list up to date.
let isHeld = false;

const body = (within) => within.querySelector("tbody[data-steady]");

function isAt(tbody) {
  const active = document.activeElement;
  const byKeyboard = tbody.contains(active) && active.matches(":focus-visible");
  // A tick box takes its focus along when rows move, and a mere click leaves it focused.
  return tbody.matches(":hover") || (byKeyboard && !active.matches("input"));
}

// Gives the new rows the order of the old ones when a person is at them.
export function steady(target, fragment) {
  const [old, next] = [body(target), body(fragment)];
  isHeld = false;
  if (!old || !next || !isAt(old)) return;
  const rows = [...next.rows];
  const came = new Map(rows.map((row) => [row.id, row]));
  const shown = [...old.rows];
  const ids = new Set(shown.map((row) => row.id));
  const newer = rows.filter((row) => !ids.has(row.id)).length;
  const hasMore = fragment.querySelector('a[rel="next"]') !== null;
  const end = hasMore ? firstPushed(shown, came, newer) : shown.length;
  const left = shown.slice(0, end).filter((row) => !came.has(row.id)).length;
  const held = shown.map((row, at) => came.get(row.id) || copy(row, at < end));
  isHeld = held.length !== rows.length || held.some((row, at) => row !== rows[at]);
  if (!isHeld) return;
  next.replaceChildren(...held);
  say(fragment, newer, left);
}

// Rows at the end of a page that newer ones have pushed to the next page have not left the list.
function firstPushed(shown, came, newer) {
  const last = shown.findLastIndex((row) => came.has(row.id));
  return Math.max(last + 1, shown.length - newer);
}

// A row that has left the list stays to be seen, but offers nothing any more.
function copy(row, isGone) {
  const made = row.cloneNode(true);
  if (!isGone) return made;
  made.classList.add("stale");
  for (const control of made.querySelectorAll("button, input")) control.disabled = true;
  return made;
}

function say(fragment, newer, left) {
  const button = fragment.querySelector("[data-catch-up]");
  if (!button) return;
  const said = [newer && `${newer} newer`, left && `${left} gone`].filter(Boolean).join(", ");
  button.textContent = `${said || "new order"} · show`;
  button.hidden = false;
}

// The row under the pointer stays under it when something above it has grown: the page scrolls
// along, and is made longer when it is too short for that.
export function keepPlace(target) {
  const row = target.querySelector("tbody[data-steady] > tr:hover");
  if (!row) {
    document.body.style.minHeight = "";
    return () => {};
  }
  const before = row.getBoundingClientRect().top;
  return () => {
    const moved = row.isConnected ? row.getBoundingClientRect().top - before : 0;
    if (!moved) return;
    const least = Math.ceil(window.scrollY + moved + window.innerHeight);
    if (least > document.documentElement.scrollHeight) document.body.style.minHeight = `${least}px`;
    window.scrollBy({ top: moved, behavior: "instant" });
  };
}

// Does what changes the page above the rows, and leaves the row under the pointer in its place.
export function inPlace(work) {
  const back = keepPlace(document);
  work();
  back();
}

// Calls `read` once a person leaves rows that were held; with `true` when they ask for the list
// as it is now.
export function onLeave(read) {
  const look = () => requestAnimationFrame(() => {
    const tbody = body(document);
    if (isHeld && !(tbody && isAt(tbody))) catchUp(read, false);
  });
  document.addEventListener("pointerover", look);
  document.documentElement.addEventListener("pointerleave", look);
  document.addEventListener("focusout", look);
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-catch-up]")) {
      catchUp(read, true);
    }
  });
}

function catchUp(read, isAsked) {
  isHeld = false;
  read(isAsked);
}
