// What the built-in pages do where scripts run; every page works without it. It stores and sends nothing, and its words
// come from the page, in the page's language. `deno task page-style` embeds it.
for (const element of document.querySelectorAll("[data-show],[data-copy]")) element.hidden = false;

function reveal(button, readable) {
  const input = document.getElementById(button.dataset.show);
  if ((input.type === "text") === readable) return;
  input.type = readable ? "text" : "password";
  const { dataset } = button;
  [button.textContent, dataset.other] = [dataset.other, button.textContent];
  [button.ariaLabel, dataset.otherLabel] = [dataset.otherLabel, button.ariaLabel];
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-show]");
  if (button) reveal(button, document.getElementById(button.dataset.show).type === "password");
  const copy = target.closest("[data-copy]");
  if (copy) {
    const { value, innerText } = document.getElementById(copy.dataset.copy);
    navigator.clipboard.writeText(value ?? innerText)
      .then(() => copy.textContent = copy.dataset.done);
  }
});

// A second press does nothing, and what is sent is a password field again: browsers remember text fields.
document.addEventListener("submit", (event) => {
  const { target, submitter } = event;
  if (event.defaultPrevented) return;
  if (target.ariaBusy === "true") return event.preventDefault();
  for (const button of target.querySelectorAll("[data-show]")) reveal(button, false);
  target.ariaBusy = "true";
  if (!submitter) return;
  submitter.ariaBusy = "true";
  if (submitter.dataset.busy) submitter.textContent = submitter.dataset.busy;
});

// Back from another page: the browser may show this one as it was left.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});
