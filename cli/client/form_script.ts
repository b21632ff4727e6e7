import {
  type FormControl,
  type FormDocument,
  type FormElement,
  type FormSubmission,
  onDocument,
  postForm,
} from "./form_post.ts";

interface Browser {
  document: FormDocument & {
    addEventListener(
      type: string,
      act: (event: FormSubmission & { target: FormElement }) => void,
    ): void;
    createElement(name: string): FormElement;
  };
  DOMParser: new () => { parseFromString(text: string, type: string): FormDocument };
}

const browser = globalThis as unknown as Browser;
const marked = "form[data-enhance]";

/**
 * Sends the marked forms of the page in place from now on.
 *
 * @throws {TypeError} Outside of a browser.
 *
 * @example
 * ```ts
 * import { enhanceForms } from "@framework/cli/client/form-script";
 * import { throws } from "node:assert/strict";
 *
 * throws(() => enhanceForms(), TypeError); // this is no browser
 * ```
 */
export function enhanceForms(): void {
  // Throws under a policy of trusted types: forms then stay what they are.
  new browser.DOMParser().parseFromString("", "text/html");
  onDocument(() =>
    browser.document.addEventListener("submit", (event) => {
      const form = event.target;
      // A component renders its own form, which has no place for markup of the server.
      const around = form.closest("framework-slot,framework-island")?.localName;
      if (form.getAttribute("data-enhance") === null || around === "framework-island") return;
      postForm(event, form, {
        refusal: "page",
        setPending(pending) {
          if (pending) {
            form.querySelector(":scope>[data-offline]")?.remove();
            form.setAttribute("aria-busy", "true");
          } else form.removeAttribute("aria-busy");
        },
        refuse: (text, sent) => showAgain(form, text, sent),
        fail() {
          const message = browser.document.createElement("p");
          message.setAttribute("role", "alert");
          message.setAttribute("data-offline", "");
          message.textContent = form.getAttribute("data-enhance") ||
            "No answer came. Check your connection, and try again.";
          form.prepend(message);
        },
      });
    })
  );
}

/** Replaces the content of a form by that of the same form in an answer. */
function showAgain(form: FormElement, text: string, sent: FormData): boolean {
  const page = new browser.DOMParser().parseFromString(text, "text/html");
  const next = sameForm(page, form);
  if (next === undefined || sameForm(browser.document, form) !== form) return false;
  const before = controlsOf(form);
  for (const [name, control] of controlsOf(next)) {
    const old = before.get(name);
    const [value, ...others] = sent.getAll(name);
    // The server sends no file back; and what was typed since is newer than its answer.
    if (old?.files) control.files = old.files;
    else if (old && others.length === 0 && value !== old.value) control.value = old.value;
  }
  browser.document.title = page.title;
  form.replaceChildren(...next.childNodes);
  const alert = form.querySelector("[role=alert]");
  if (alert !== null) alert.tabIndex = -1;
  (form.querySelector("[aria-invalid=true]") ?? alert)?.focus();
  return true;
}

/** The form with the same id, or, without one, the only marked form. */
function sameForm(page: FormDocument, form: FormElement): FormElement | undefined {
  const id = form.getAttribute("id");
  const forms = [...page.querySelectorAll(marked)];
  const found = id === null ? forms : forms.filter((each) => each.getAttribute("id") === id);
  return found.length === 1 ? found[0] : undefined;
}

function controlsOf(form: FormElement): Map<string, FormControl> {
  const controls = form.querySelectorAll(
    "input:not([type=hidden],[type=checkbox],[type=radio],[type=submit],[type=image]),select,textarea",
  );
  return new Map([...controls].map((control) => [control.name, control]));
}
