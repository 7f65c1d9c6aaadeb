// The button that ends a lease says where the job goes by the number that stands in the field.
function tell(form) {
  const said = form.querySelector("[data-dies-at]");
  const field = form.querySelector("[name=max_stalled]");
  const button = form.querySelector("footer .btn.go");
  if (!said || !field || !button) return;
  const most = Number(field.value);
  const isDead = most >= 1 && most <= Number(said.dataset.diesAt);
  button.classList.toggle("harm", isDead);
  button.dataset.plain ||= button.textContent;
  button.textContent = !(most >= 1) ? button.dataset.plain : isDead ? said.dataset.dead : said.dataset.back;
}

const tellAll = () => document.querySelectorAll("form.ask").forEach(tell);

document.addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement && target.name === "max_stalled" && target.form?.matches(".ask")) {
    tell(target.form);
  }
});
document.addEventListener("htmx:afterSwap", tellAll);
tellAll();
