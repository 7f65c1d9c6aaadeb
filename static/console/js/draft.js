// What is typed into a long text is kept in this tab, and offered again when the same text is opened
// anew: a sign-in that is over, or a page that was left, loses nothing.
const name = (area) => `draft ${area.dataset.draft}`;

document.addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLTextAreaElement) || !target.dataset.draft) return;
  try {
    sessionStorage.setItem(name(target), target.value);
  } catch {
    // A tab that is full keeps no drafts.
  }
});

for (const area of document.querySelectorAll("textarea[data-draft]")) {
  const typed = sessionStorage.getItem(name(area));
  const offer = document.getElementById("draft");
  if (typed === null || typed === area.value || !offer) continue;
  offer.hidden = false;
  offer.querySelector("button").addEventListener("click", () => {
    area.value = typed;
    offer.hidden = true;
    area.focus();
  });
}
