// What went wrong, said where the person looks: a strip under the top bar, never silence.
import { inPlace } from "./steady.js";

const strip = document.getElementById("strip");
const STATUS = {
  0: "The console did not answer. Is it running, and is this computer on the network?",
  403: "Refused.",
  404: "This is not here any more.",
  405: "This cannot be done here.",
};

const LEAST_MS = 5000;
let silentSince = 0;

// The sentence of a refused or failed request; only plain text is taken from the answer.
export function sentence(xhr) {
  const type = (xhr && xhr.getResponseHeader("Content-Type")) || "";
  if (xhr && xhr.responseText && type.startsWith("text/plain")) return xhr.responseText;
  const status = xhr ? xhr.status : 0;
  return STATUS[status] || `The console answered with an error (${status}). Its log says why.`;
}

function line(css, role, text) {
  const p = document.createElement("p");
  p.className = css;
  if (role) p.setAttribute("role", role);
  const span = document.createElement("span");
  span.textContent = text;
  p.append(span);
  return p;
}

function without(css) {
  inPlace(() => {
    for (const old of strip.querySelectorAll("." + css)) old.remove();
  });
}

// What a person who pressed a button must know when no answer came to it.
export function unanswered(xhr) {
  if (xhr && xhr.status) return sentence(xhr);
  return `${sentence(xhr)} Whether anything was moved is not known. Press again: nothing moves twice.`;
}

// `isSilence`: no answer came, so the words are over once the page can be read again.
export function showFailure(text, isSilence) {
  without("is-failed");
  silentSince = isSilence ? performance.now() : 0;
  const p = line("is-failed", "alert", text);
  const button = document.createElement("button");
  button.className = "btn small";
  button.type = "button";
  button.textContent = "Dismiss";
  button.addEventListener("click", () => p.remove());
  p.append(button);
  inPlace(() => strip.append(p));
}

// The outcome of an action, for a person who has scrolled past the place where it stands.
export function showDone() {
  without("is-done");
  const outcome = document.querySelector("#outcome b");
  const bar = document.querySelector(".top").getBoundingClientRect();
  if (!outcome || outcome.getBoundingClientRect().bottom > bar.bottom) return;
  const p = line("is-done", "", outcome.textContent);
  const link = document.createElement("a");
  link.className = "btn small";
  link.href = "#main";
  link.textContent = "Show";
  p.append(link);
  strip.append(p);
  setTimeout(() => p.remove(), 10000);
}

export function showStale(text, server) {
  const away = server && document.querySelector(`.rail [data-server="${CSS.escape(server)}"] .n`);
  if (away) {
    away.textContent = "out of reach";
    away.classList.add("c-lapsed");
  }
  const old = strip.querySelector(".is-stale span");
  if (old) {
    if (old.textContent !== text) old.textContent = text;
  } else {
    inPlace(() => strip.prepend(line("is-stale", "", text)));
  }
  document.body.dataset.stale = "";
}

export function clearStale() {
  without("is-stale");
  delete document.body.dataset.stale;
}

export function clearFailure() {
  silentSince = 0;
  without("is-failed");
}

// The page was read: what was said of a silence is over, once there was time to read it.
export function clearSilence() {
  if (silentSince && performance.now() - silentSince > LEAST_MS) clearFailure();
}
