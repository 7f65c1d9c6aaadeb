// The swap "morph:innerHTML": idiomorph, told what belongs to the person and not to the server.
const htmx = window.htmx;

// Set by live.js while the answer of a poll is swapped in.
export const swap = { byPoll: false };

function isTheirs(attribute, element) {
  if (attribute === "open") return element.matches("details, dialog");
  if (!(element instanceof HTMLInputElement)) return false;
  if (attribute === "checked") return true;
  if (attribute !== "value") return false;
  // A form keeps the name of its call until a call has succeeded, so that a repeat is a repeat.
  if (element.type === "hidden") return swap.byPoll && "keep" in element.dataset;
  return element.type !== "checkbox";
}

htmx.defineExtension("morph", {
  isInlineSwap: () => false,
  handleSwap(style, target, fragment) {
    if (style !== "morph:innerHTML") return false;
    return window.Idiomorph.morph(target, fragment.children, {
      morphStyle: "innerHTML",
      ignoreActiveValue: true,
      callbacks: {
        beforeAttributeUpdated: (attribute, element) => !isTheirs(attribute, element),
      },
    });
  },
});

// Runs `work` now and after every swap. `at` is when the content came, on this page's own clock.
export function onContent(work) {
  const first = performance.getEntriesByType("navigation")[0];
  work(first ? first.responseStart : 0);
  document.addEventListener("htmx:afterSwap", () => work(performance.now()));
}
