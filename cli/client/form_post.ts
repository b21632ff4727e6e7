import { formHeader } from "./assets.ts";

/** Parts of an element that are used here: the compiler has no browser types. */
export interface FormElement {
  readonly isConnected: boolean;
  readonly childNodes: Iterable<unknown>;
  textContent: string;
  tabIndex: number;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  closest(selector: string): { localName: string } | null;
  querySelector(selector: string): FormElement | null;
  querySelectorAll(selector: string): Iterable<FormControl>;
  prepend(node: unknown): void;
  replaceChildren(...nodes: unknown[]): void;
  remove(): void;
  focus(): void;
  /** Of a form: its fields have their first values again. */
  reset?(): void;
}

/** A form's control. */
export interface FormControl extends FormElement {
  name: string;
  value: string;
  files?: unknown;
}

/** The event `submit` of a form. */
export interface FormSubmission {
  readonly defaultPrevented: boolean;
  readonly submitter?: FormElement | null;
  preventDefault(): void;
}

/** A document, whether shown or only parsed. */
export interface FormDocument {
  title: string;
  querySelectorAll(selector: string): Iterable<FormElement>;
}

interface Browser {
  document: FormDocument & {
    baseURI: string;
    open(): void;
    write(html: string): void;
    close(): void;
    createElement(name: string): { href: string; download: string; click(): void };
  };
  location: { href: string; origin: string; assign(url: string): void; reload(): void };
  history: { pushState(state: null, unused: string, url: string): void };
  addEventListener(type: string, act: () => void): void;
  FormData: new (form: unknown, submitter?: unknown) => FormData;
}

const browser = globalThis as unknown as Browser;

/** Place on a page where the answer to a form is shown. */
export interface FormPlace {
  /** Answer to a refused form that the place can show: the page, or messages and values as JSON. */
  refusal: "page" | "fields";
  /** Called when the form is sent, and when it can be sent again. */
  setPending(pending: boolean): void;
  /**
   * Shows a refusal of the form (422).
   *
   * @returns false when the whole answer is to be shown in place of the page.
   */
  refuse(text: string, sent: FormData): boolean;
  /** Called when the form was taken, and the page stays (204). */
  saved?(sent: FormData): void;
  /** Called when no answer came. What was typed is still there. */
  fail(): void;
}

const LISTEN: unique symbol = Symbol.for("framework.form");
const shared = globalThis as { [LISTEN]?: () => void };

/** Listens to the document, and again after it was written anew, which ends all listening. */
export function onDocument(listen: () => void): void {
  shared[LISTEN] = listen;
  listen();
}

const sending = new WeakSet<object>();

/** Time after which a form can be sent again although the next page has not come, in milliseconds. */
const patience = 10_000;

/**
 * Sends a form as the browser would, without leaving the page, and acts on the answer. A form that only the browser can
 * send is left to it: GET, another site, another window, `text/plain`.
 *
 * @param event The event `submit`.
 * @param form The form.
 * @param place Place for the answer.
 */
export function postForm(event: FormSubmission, form: FormElement, place: FormPlace): void {
  if (event.defaultPrevented) return;
  const { submitter } = event;
  // By attributes: fields may be named "action" or "method".
  const read = (name: string): string =>
    submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
  const url = new URL(read("action") || browser.location.href, browser.document.baseURI);
  const type = read("enctype").toLowerCase();
  if (
    url.origin !== browser.location.origin ||
    read("method").toLowerCase() !== "post" || !/^(_self)?$/i.test(read("target")) ||
    type === "text/plain"
  ) return;
  event.preventDefault();
  if (sending.has(form)) return;
  sending.add(form);
  place.setPending(true);
  const fields = new browser.FormData(form, submitter);
  const body = type === "multipart/form-data" ? fields : new URLSearchParams(
    [...fields].map(([name, value]) => [
      name,
      (typeof value === "string" ? value : value.name).replace(/\r\n?|\n/g, "\r\n"),
    ]),
  );
  const release = (): void => {
    sending.delete(form);
    place.setPending(false);
  };
  void send(url, body, place.refusal).then(
    (answer) => {
      const { status, url, headers } = answer.response;
      const from = new URL(url);
      const next = headers.get("location");
      const isForeign = from.origin !== browser.location.origin;
      if (isForeign || (status === 204 && next !== null)) {
        // A second click must not send again while the next page loads; Back finds the form ready.
        setTimeout(release, patience);
        browser.addEventListener("pagehide", release);
        // Markup of another site, to which a redirect led, is not for this page.
        return visit(isForeign ? from : new URL(next!, from));
      }
      release();
      if (status === 204) return place.saved?.(fields);
      if (status === 422 && place.refuse(answer.text, fields)) return;
      show(answer);
    },
    () => {
      release();
      place.fail();
    },
  );
}

interface Answer {
  response: Response;
  blob: Blob;
  text: string;
}

async function send(url: URL, body: BodyInit, refusal: string): Promise<Answer> {
  const headers = { accept: "text/html", [formHeader]: refusal };
  const response = await fetch(url, { method: "POST", body, headers });
  const blob = await response.blob();
  return { response, blob, text: await blob.text() };
}

function visit(to: URL): void {
  // A redirect never runs a script; an assigned address would.
  if (!/^https?:$/.test(to.protocol)) return;
  const before = withoutHash();
  browser.location.assign(to.href);
  // A fragment alone loads nothing.
  if (to.hash !== "" && withoutHash() === before) browser.location.reload();
}

/** Shows an answer as the browser would have after an ordinary form: in place of the page, or as a file. */
function show({ response, blob, text }: Answer): void {
  const { document, location, history } = browser;
  const { url, headers } = response;
  const type = headers.get("content-type") ?? "";
  const disposition = headers.get("content-disposition") ?? "";
  // What its own policy keeps apart from the site must not have the rights of this page.
  const isApart = /sandbox/i.test(headers.get("content-security-policy") ?? "");
  if (isApart || /^attach/i.test(disposition) || !/^(text|application\/json)/.test(type)) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = /filename="?([^";]+)/.exec(disposition)?.[1] ?? "";
    return link.click();
  }
  const isNew = withoutHash() !== url;
  if (isNew) history.pushState(null, "", url);
  // The text as it came: a document that was parsed and written again may mean something else.
  document.open();
  document.write(type.startsWith("text/html") ? text : `<pre>${text.replaceAll("<", "&lt;")}`);
  document.close();
  browser.addEventListener("popstate", () => {
    if (isNew && withoutHash() !== url) location.reload();
  });
  shared[LISTEN]?.();
}

function withoutHash(): string {
  return browser.location.href.split("#")[0]!;
}
