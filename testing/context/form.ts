import { parseHTML } from "linkedom";
import { TestingError } from "../errors.ts";

/** Values to fill in, by the names of fields: text, or the files of a file field. */
export type TypedFields = Record<string, string | Blob | readonly Blob[]>;

/** Form data to submit. */
export interface FilledForm {
  method: string;
  /** Attribute `action` as written; empty for the page's own URL. */
  action: string;
  /** Body that is sent, with `enctype="multipart/form-data"` as a form with files. */
  fields: URLSearchParams | FormData;
}

/** Part of the element interface that reading a form needs. */
interface FormElement {
  localName: string;
  textContent: string;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  querySelectorAll(selector: string): Iterable<FormElement>;
  querySelector(selector: string): FormElement | null;
}

/**
 * Refuses what has no form to fill in: anything but a response, and a redirect, as the one to the sign-in page.
 *
 * @throws {TestingError} `OPTIONS`, `NO_FORM`.
 */
export function demandPage(response: Response): void {
  if (typeof (response as Partial<Response> | null)?.text !== "function") {
    throw new TestingError(
      "OPTIONS",
      `submit() was given ${
        JSON.stringify(response)
      }, which is no response. Fetch the page before: ` +
        'submit(await ctx.fetch("/…"), fields).',
    );
  }
  const location = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || location === null) return;
  throw new TestingError(
    "NO_FORM",
    `submit() was given no page: the answer is a redirect, ${response.status} to ${location}. Sign in before with ` +
      "ctx.withAuth() when that is the sign-in page, otherwise fetch the page there.",
  );
}

/**
 * Fills in a form of a page.
 *
 * @param html The page.
 * @param typed Values by the names of fields, and of the button that is pressed.
 * @param selector CSS selector of the form. Default: the first form that has the fields.
 * @throws {TestingError} `NO_FORM`, `NO_FIELD`, `NO_FILES`.
 */
export function readForm(html: string, typed: TypedFields, selector?: string): FilledForm {
  const { document } = parseHTML(html) as unknown as { document: FormElement };
  const form = findForm(document, Object.keys(typed), selector);
  const method = (form.getAttribute("method") ?? "get").toUpperCase();
  const isMultipart = method === "POST" &&
    form.getAttribute("enctype")?.toLowerCase() === "multipart/form-data";
  const text = new URLSearchParams();
  const multipart = new FormData();
  const add = (name: string, value: string | Blob): void => {
    if (typeof value === "string") {
      text.append(name, value);
      multipart.append(name, value);
    } else multipart.append(name, value);
  };
  const done = new Set<string>();
  for (const [name, control] of controlsOf(form)) {
    const given = Object.hasOwn(typed, name) ? typed[name]! : undefined;
    if (given !== undefined && done.has(name)) continue;
    done.add(name);
    if (given !== undefined && typeof given !== "string") {
      demandFileField(name, control, isMultipart);
      for (const file of given instanceof Blob ? [given] : given) add(name, file);
    } else if (given === undefined && isMultipart && isFileField(control)) {
      // As a browser sends a file field without a file.
      add(name, new File([], "", { type: "application/octet-stream" }));
    } else {
      const value = given ?? ownValue(control);
      if (value !== null) add(name, value);
    }
  }
  return {
    method,
    action: form.getAttribute("action") ?? "",
    fields: isMultipart ? multipart : text,
  };
}

function isFileField(control: FormElement): boolean {
  return control.localName === "input" && control.getAttribute("type")?.toLowerCase() === "file";
}

/** Refuses files that a browser could not choose there, or of which it would send the names alone. */
function demandFileField(name: string, control: FormElement, isMultipart: boolean): void {
  if (!isFileField(control)) {
    throw new TestingError(
      "NO_FILES",
      `submit() was given a file for "${name}", which is no <input type="file">. Give it a text.`,
    );
  }
  if (!isMultipart) {
    throw new TestingError(
      "NO_FILES",
      `submit() was given a file for "${name}", and the form would send its name alone. Write ` +
        '<form method="post" enctype="multipart/form-data">.',
    );
  }
}

/** Finds the form by the selector, otherwise the first form that has all of the fields. */
function findForm(document: FormElement, names: string[], selector?: string): FormElement {
  const all = [...document.querySelectorAll("form")];
  const found = selector === undefined ? all : [document.querySelector(selector)];
  const forms = found.filter((form) => form?.localName === "form") as FormElement[];
  if (forms.length === 0) {
    throw new TestingError(
      "NO_FORM",
      `submit() found no form that matches "${selector ?? "form"}" in the page. ${
        listForms(all)
      }The page says: ` +
        JSON.stringify(document.querySelector("body")?.textContent.trim().slice(0, 200) ?? ""),
    );
  }
  const missing = (form: FormElement) => {
    const own = new Set(controlsOf(form).map(([name]) => name));
    return names.filter((name) => !own.has(name));
  };
  const fitting = forms.find((form) => missing(form).length === 0);
  if (fitting !== undefined) return fitting;
  const asked = selector === undefined ? names : missing(forms[0]!);
  const several = asked.length > 1;
  const lack = selector === undefined
    ? `no form of the page has ${several ? "these fields" : "this field"}`
    : `the form "${selector}" has no such field${several ? "s" : ""}`;
  throw new TestingError(
    "NO_FIELD",
    `submit() was given ${asked.map((name) => `"${name}"`).join(", ")}, and ${lack}. ` +
      listForms(all) + "Choose a form by its CSS selector: submit(page, fields, selector).",
  );
}

/** Describes the forms of a page, each by a selector and its fields. */
function listForms(forms: FormElement[]): string {
  if (forms.length === 0) return "";
  const described = forms.map((form) => {
    const id = form.getAttribute("id");
    const action = form.getAttribute("action");
    const selector = id ? `#${id}` : action ? `[action=${JSON.stringify(action)}]` : "";
    const names = new Set(controlsOf(form).map(([name]) => name));
    return `form${selector} (${[...names].join(", ") || "no fields"})`;
  });
  return `The page has: ${described.join("; ")}. `;
}

/** Elements that a form can send; buttons of other types do something in the browser. */
const CONTROLS = "input, textarea, select, button:not([type=button], [type=reset])";

/** Returns the submittable controls with their names, buttons among them. */
function controlsOf(form: FormElement): [name: string, control: FormElement][] {
  return [...form.querySelectorAll(CONTROLS)].flatMap((control) => {
    const name = control.getAttribute("name");
    const isSent = name !== null && name !== "" && !control.hasAttribute("disabled");
    return isSent ? [[name, control] as [string, FormElement]] : [];
  });
}

/**
 * Returns the value that an untouched control submits (HTML, "constructing the entry list"); null
 * when it submits nothing.
 */
function ownValue(control: FormElement): string | null {
  if (control.localName === "textarea") return control.textContent;
  if (control.localName === "select") {
    const chosen = control.querySelector("option[selected]") ?? control.querySelector("option");
    return chosen === null ? null : chosen.getAttribute("value") ?? chosen.textContent;
  }
  // A button sends its value when it is the one that was pressed.
  if (control.localName === "button") return null;
  const type = control.getAttribute("type") ?? "text";
  if (type === "submit" || type === "button" || type === "reset" || type === "image") return null;
  if (type === "checkbox" || type === "radio") {
    return control.hasAttribute("checked") ? control.getAttribute("value") ?? "on" : null;
  }
  return control.getAttribute("value") ?? "";
}
