// Copies a field: its exact text where all of it is on the page, else what is shown of it.
import { onContent } from "./morph.js";

const SAID_MS = 2000;

// Bytes as they are: a mark of the byte order in front is a part of the text.
const exact = new TextDecoder("utf-8", { ignoreBOM: true });

const body = (button) => document.getElementById(button.dataset.copy);
const isWhole = (button) => "whole" in body(button).dataset;
const shown = (button) => body(button)?.querySelector("pre, code");
// A command is all that it shows.
const isCommand = (button) => !("raw" in button.dataset);
const label = (button) => (isWhole(button) || isCommand(button) ? "Copy" : "Copy what is shown");

function say(button, word) {
  button.firstChild.data = word;
}

// What is laid out for the eye is not what the bytes are, so the text comes from the raw field.
async function text(button) {
  if (isCommand(button)) return shown(button).textContent.trim();
  if (!isWhole(button)) return shown(button).textContent;
  const answer = await fetch(button.dataset.raw);
  if (!answer.ok) throw new Error(answer.statusText);
  return exact.decode(await answer.arrayBuffer());
}

// Without the right to write to the clipboard, the text is marked for the person to copy.
function mark(button) {
  getSelection().selectAllChildren(shown(button));
}

async function copy(button) {
  try {
    await navigator.clipboard.writeText(await text(button));
    say(button, "Copied");
  } catch {
    mark(button);
    say(button, "Marked, not copied");
  }
  setTimeout(() => body(button) && say(button, label(button)), SAID_MS);
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element && event.target.closest("[data-copy]");
  if (button) copy(button);
});

onContent(() => {
  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!shown(button)) continue;
    button.hidden = false;
    say(button, label(button));
  }
});
