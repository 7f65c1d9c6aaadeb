// The keyboard's place in the page outlives a swap, also when what it stood on is gone.
const rows = (within) => [...within.querySelectorAll("[data-row]")];

// Remembers where the focus is; what it returns brings the focus back after the swap.
export function keepFocus(within) {
  const active = document.activeElement;
  if (!active || active === document.body || !within.contains(active)) return () => {};
  const row = active.closest("[data-row]");
  const at = row ? rows(within).indexOf(row) : -1;
  const byKeyboard = active.matches(":focus-visible") || active === row;
  return () => {
    if (document.activeElement === active) return;
    if (within.contains(active)) active.focus({ preventScroll: true });
    else if (byKeyboard) nearest(within, row, at).focus({ preventScroll: true });
  };
}

// The same row, the one that has taken its place, or the content as a whole.
function nearest(within, row, at) {
  const all = rows(within);
  const same = row && row.id && document.getElementById(row.id);
  return same || all[Math.min(at, all.length - 1)] || document.getElementById("main");
}
