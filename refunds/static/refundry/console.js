// A form is sent once, however often its button is clicked. Without this script the server sees to it.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  if (form.method === "post") {
    form.dataset.sent = "true";
    form.setAttribute("aria-busy", "true");
  }
});
// One box ticks all of its list.
document.addEventListener("change", (event) => {
  const { dataset, form, checked } = event.target;
  if (dataset.ticks) {
    for (const box of form.querySelectorAll(`[name="${dataset.ticks}"]`)) box.checked = checked;
  }
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent;
    form.removeAttribute("aria-busy");
  }
});
