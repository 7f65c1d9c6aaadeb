// The swap "morph:innerHTML": idiomorph, told what belongs to the person and not to the server.
import { keepFocus } from "./focus.js";
import { keepPlace, steady } from "./steady.js";

const htmx = window.htmx;
const TYPED = "input:not([type=checkbox], [type=radio], [type=hidden]), textarea";

// Set by live.js while the answer of a poll is swapped in.
export const swap = { byPoll: false };

// What is typed, ticked or opened stays; everything else follows the server, focused or not.
function isTheirs(attribute, element) {
  if (attribute === "open") return element.matches("details, dialog");
  if (attribute === "checked") return element instanceof HTMLInputElement;
  if (attribute === "selected") return element instanceof HTMLOptionElement;
  if (attribute !== "value") return false;
  // A form keeps the name of its call until a call has succeeded, so that a repeat is a repeat.
  if (element.type === "hidden") return swap.byPoll && "keep" in element.dataset;
  return element.matches(TYPED);
}

// What the page has already is kept: a poll sends an empty place for a long field that has not
// changed. A section that loads itself keeps what it has until it has loaded what is new.
function isKept(old, next) {
  if (!(next instanceof HTMLElement) || !("kept" in next.dataset) || old.id !== next.id) return false;
  if (!("loads" in next.dataset)) return next.childElementCount === 0;
  if (old.dataset.kept !== next.dataset.kept) {
    old.dataset.kept = next.dataset.kept;
    setTimeout(() => htmx.trigger(old, "grown"));
  }
  return true;
}

htmx.defineExtension("morph", {
  isInlineSwap: () => false,
  handleSwap(style, target, fragment) {
    if (style !== "morph:innerHTML") return false;
    if (swap.byPoll) steady(target, fragment);
    const backToPlace = keepPlace(target);
    const backToFocus = keepFocus(target);
    const morphed = window.Idiomorph.morph(target, fragment.children, {
      morphStyle: "innerHTML",
      callbacks: {
        beforeNodeMorphed: (old, next) => !isKept(old, next),
        beforeAttributeUpdated: (attribute, element) => !isTheirs(attribute, element),
      },
    });
    backToFocus();
    if (swap.byPoll) backToPlace();
    return morphed;
  },
});

// Runs `work` now and after every swap of the page. `at` is when the content came, on this page's
// own clock. A dialog that opens over the page brings no new content of the page.
export function onContent(work) {
  const first = performance.getEntriesByType("navigation")[0];
  work(first ? first.responseStart : 0);
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id === "live") work(performance.now());
  });
}
