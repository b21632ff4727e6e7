import { parseHTML } from "linkedom";
import { TestingError } from "../errors.ts";

/** A form as it is sent. */
export interface FilledForm {
  method: string;
  /** As it is written; empty for the page's own address. */
  action: string;
  fields: URLSearchParams;
}

/** What of an element is looked at. */
interface FormElement {
  localName: string;
  textContent: string;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  querySelectorAll(selector: string): Iterable<FormElement>;
  querySelector(selector: string): FormElement | null;
}

/**
 * Fills in a form of a page.
 *
 * @param html The page.
 * @param typed Values by the names of fields.
 * @param selector CSS selector of the form.
 * @throws {TestingError} `NO_FORM`, `NO_FIELD`.
 */
export function readForm(
  html: string,
  typed: Record<string, string>,
  selector: string = "form",
): FilledForm {
  const { document } = parseHTML(html) as unknown as { document: FormElement };
  const form = document.querySelector(selector);
  if (form === null || form.localName !== "form") {
    throw new TestingError(
      "NO_FORM",
      `submit() found no form by "${selector}" in the page. The page says: ` +
        JSON.stringify(document.querySelector("body")?.textContent.trim().slice(0, 200) ?? ""),
    );
  }
  const fields = new URLSearchParams();
  const names = new Set<string>();
  for (const control of form.querySelectorAll("input, textarea, select")) {
    const name = control.getAttribute("name");
    if (name === null || name === "" || control.hasAttribute("disabled")) continue;
    names.add(name);
    const value = Object.hasOwn(typed, name) ? typed[name]! : ownValue(control);
    if (value !== null && !(fields.has(name) && Object.hasOwn(typed, name))) {
      fields.append(name, value);
    }
  }
  const unknown = Object.keys(typed).find((name) => !names.has(name));
  if (unknown !== undefined) {
    throw new TestingError(
      "NO_FIELD",
      `submit() was given "${unknown}", and the form has no such field. It has: ` +
        `${[...names].join(", ") || "none"}.`,
    );
  }
  return {
    method: (form.getAttribute("method") ?? "get").toUpperCase(),
    action: form.getAttribute("action") ?? "",
    fields,
  };
}

/** What is sent of a control that nobody touches (HTML, "constructing the entry list"); null for nothing. */
function ownValue(control: FormElement): string | null {
  if (control.localName === "textarea") return control.textContent;
  if (control.localName === "select") {
    const chosen = control.querySelector("option[selected]") ?? control.querySelector("option");
    return chosen === null ? null : chosen.getAttribute("value") ?? chosen.textContent;
  }
  const type = control.getAttribute("type") ?? "text";
  if (type === "submit" || type === "button" || type === "reset" || type === "image") return null;
  if (type === "checkbox" || type === "radio") {
    return control.hasAttribute("checked") ? control.getAttribute("value") ?? "on" : null;
  }
  return control.getAttribute("value") ?? "";
}
