/// <reference lib="dom" />

import {
  createPasskey,
  describeFailure,
  getPasskey,
  isConditionalCreateSupported,
  isConditionalSupported,
  isPasskeySupported,
  signalAccepted,
  signalUnknown,
} from "./ceremony.ts";

// The challenge of the server holds for five minutes, and a sign-in page may stand open for longer.
const RENEWAL = 4 * 60 * 1000;

/** Fields in whose list passkeys stand, the best first: where people say who they are, else the password. */
const FIELDS = [
  'input[autocomplete~="webauthn"]',
  'input[autocomplete~="username"]:not([readonly]),input[type="email"]:not([readonly])',
  'input[autocomplete="current-password"]',
];

/** Refusals of a passkey that may be there: its challenge is used, or its id. */
const STORED = /^(?:PASSKEY_EXPIRED|ACCOUNT_TAKEN)$/;

const UNREACHED = "We could not be reached. Check your connection and try again.";

/** Lists that are offered again after what was picked was refused: an authenticator that picks by itself does so at once. */
let further = 3;

/** Error of an attempt, named as the browser's exception or by the code of the server. */
interface Failure extends Error {
  /** Minutes until the next try. */
  minutes?: number;
  /** Status of the answer; undefined where there was none. */
  status?: number;
}

/** The wait for a choice in the list of a field. Browsers take one ceremony at a time. */
let waiting: AbortController | undefined;

/** Sends fields as a client that prefers JSON. */
async function post(
  address: string,
  fields: string[][] | Record<string, string>,
): Promise<Record<string, unknown>> {
  const response = await fetch(address, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams(fields),
  });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) {
    const { code, message = "Something went wrong. Try again." } = body;
    const minutes = Math.ceil(Number(response.headers.get("retry-after")) / 60);
    const isSoon = code === "RATE_LIMITED" && minutes <= 1;
    const name = isSoon ? "RATE_LIMITED_SOON" : code;
    throw Object.assign(new Error(message), { name, minutes, status: response.status });
  }
  return body;
}

function postForm(form: HTMLFormElement, address: string): Promise<Record<string, unknown>> {
  return post(address, [...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

function fetchOptions(form: HTMLFormElement): Promise<object> {
  return postForm(form, form.dataset.options!);
}

/** Tells the password manager which passkeys there are; of a visitor who is nobody it tells nothing. */
async function signal(options: string): Promise<void> {
  const address = new URL("../accepted", new URL(options, location.href));
  const response = await fetch(address, { headers: { accept: "application/json" } });
  const accepted = response.ok && await response.json();
  if (accepted) await signalAccepted(accepted);
}

function isRegistration(form: HTMLFormElement): boolean {
  return form.dataset.passkey === "register";
}

/** Tests for the options of a new passkey, which alone name the relying party as `rp`. */
function isCreation(options: object): boolean {
  return "rp" in options;
}

/** Waits for the answer to a passkey, and has the password manager drop one that the server does not have. */
async function settle<Answer>(
  answer: Promise<Answer>,
  credential: string,
  options: object,
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const { name, status } = error as Failure;
    // A fault, an answer that was lost, or one to what came twice says nothing of what is stored.
    const isRefused = isCreation(options) && status! < 500 && !STORED.test(name);
    if (isRefused || name === "PASSKEY_UNKNOWN") await signalUnknown(options, credential);
    throw error;
  }
}

/** Goes to an address, to that of this very page too: what it shows has changed. */
function follow(address: string): void {
  location.assign(address);
  if (location.hash && location.href === address) location.reload();
}

/**
 * Sends what the authenticator made, by the script, which stays on the page when it goes wrong. Without a place for what went
 * wrong the answer is a page; and where a new passkey leads to another origin, the server decides if it may.
 */
async function send(form: HTMLFormElement, credential: string, options: object): Promise<void> {
  form.querySelector<HTMLInputElement>('input[name="credential"]')!.value = credential;
  const callbackUrl = String(new FormData(form).get("callbackUrl") ?? "");
  const next = attempt(() => new URL(callbackUrl, location.origin));
  if (placeOf(form) === null || isCreation(options) && next?.origin !== location.origin) {
    return form.submit();
  }
  const answer = await settle(postForm(form, form.action), credential, options);
  if (answer.user) await signal(form.dataset.options!).catch(() => {});
  follow((answer.redirectTo ?? next!.href) as string);
}

/** Message from the form's template, in the language of the page, else the English one. */
function textFor(form: HTMLFormElement, { name, message, minutes }: Failure): string {
  const texts = form.querySelector("template")?.content.querySelectorAll<HTMLElement>(
    "[data-message]",
  );
  const textOf = (key: string) =>
    [...texts ?? []].find(({ dataset }) => dataset.message === key)?.textContent;
  const text = textOf(name) ?? textOf("other") ?? describeFailure(name, isRegistration(form)) ??
    (name === "TypeError" ? UNREACHED : message);
  return text.replace("{minutes}", String(minutes));
}

function placeOf(form: HTMLFormElement): HTMLElement | null {
  return form.querySelector<HTMLElement>('[role="alert"]');
}

function show(form: HTMLFormElement, text: string): void {
  const place = placeOf(form);
  if (place === null) return;
  place.textContent = text;
  place.hidden = text === "";
  // One without a button shows nothing else.
  if (!place.hidden) form.hidden = false;
}

async function run(form: HTMLFormElement): Promise<void> {
  waiting?.abort();
  show(form, "");
  // What was done before is not what comes of this.
  document.querySelector('[data-passkey="done"]')?.closest(".note")?.remove();
  try {
    const options = await fetchOptions(form);
    const work = isRegistration(form) ? createPasskey : getPasskey;
    await send(form, await work(options), options);
  } catch (error) {
    show(form, textFor(form, error as Error));
    offer();
  }
}

/** Offers passkeys in the list of a field where people type who they are. */
async function offer(): Promise<void> {
  const form = document.querySelector<HTMLFormElement>('form[data-passkey="sign-in"]');
  const field = FIELDS.map((one) => document.querySelector<HTMLInputElement>(one))
    .find((found) => found !== null);
  if (form === null || field === undefined || !await isConditionalSupported()) return;
  if (!field.autocomplete.includes("webauthn")) {
    const kind = field.type === "password" ? "current-password" : "username";
    field.autocomplete = `${kind} webauthn` as AutoFill;
  }
  const wait = waiting = new AbortController();
  const renewal = setTimeout(() => {
    wait.abort();
    offer();
  }, RENEWAL);
  let chosen = false;
  try {
    const options = await fetchOptions(form);
    const credential = await getPasskey(options, { conditional: true, signal: wait.signal });
    chosen = true;
    clearTimeout(renewal);
    await send(form, credential, options);
  } catch (error) {
    // Nobody chose one, or the button was faster: the page works as without the list.
    if (!chosen) return;
    show(form, textFor(form, error as Error));
    if (further-- > 0) offer();
  } finally {
    clearTimeout(renewal);
  }
}

/** A password manager that does not answer keeps no other ceremony of the page waiting. */
const PATIENCE = 10_000;

// Kept in the tab: the page after a sign-in is the one that may ask for a passkey, and no page without one asks the server.
const SIGNED_IN = "framework.passkey-after-password";
const OFFERED = "framework.passkey-offered";

/** Value of work; null where it throws, as on a store of the browser whose user allows none. */
function attempt<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** Has the password manager make a passkey without asking. Nothing is said of what came of it: the owner gets a mail. */
async function makeQuietly(address: string): Promise<void> {
  const wait = waiting = new AbortController();
  const limit = setTimeout(() => wait.abort(), PATIENCE);
  try {
    const options = await post(address, {});
    if (!options) return;
    const credential = await createPasskey(options, { conditional: true, signal: wait.signal });
    const register = new URL("../register", new URL(address, location.href)).href;
    await settle(post(register, { credential }), credential, options);
  } catch {
    // There is a passkey already, or no saved password: the page works as without it.
  } finally {
    clearTimeout(limit);
  }
}

/** Offers a passkey for the next time, once in a browser. */
function offerNextTime(): void {
  const section = document.querySelector<HTMLElement>('[data-passkey="next-time"]');
  if (section === null || attempt(() => localStorage.getItem(OFFERED)) !== null) return;
  attempt(() => localStorage.setItem(OFFERED, "1"));
  section.hidden = false;
  const dismiss = section.querySelector<HTMLElement>('[data-passkey="dismiss"]');
  if (dismiss === null) return;
  dismiss.hidden = false;
  dismiss.addEventListener("click", () => void (section.hidden = true));
}

/** On the page after a sign-in with a password. */
async function afterPassword(): Promise<void> {
  const address = document.querySelector<HTMLElement>("[data-passkey-automatic]")?.dataset
    .passkeyAutomatic;
  const isNext = document.querySelector('[data-passkey="next-time"]') !== null;
  if (!address && !isNext || attempt(() => sessionStorage.getItem(SIGNED_IN)) === null) return;
  attempt(() => sessionStorage.removeItem(SIGNED_IN));
  if (address && await isConditionalCreateSupported()) await makeQuietly(address);
  else offerNextTime();
}

if (isPasskeySupported()) {
  // In the capture phase: a page of the application may send the form by itself.
  document.addEventListener("submit", ({ target }) => {
    if ((target as Element).querySelector('input[autocomplete~="current-password"]') === null) {
      return;
    }
    attempt(() => sessionStorage.setItem(SIGNED_IN, "1"));
  }, true);
  for (const element of document.querySelectorAll<HTMLElement>("[data-passkey]")) {
    if (element.dataset.passkey === "next-time") continue;
    const isForm = element instanceof HTMLFormElement;
    const isQuiet = isForm && element.querySelector("button") === null;
    element.hidden = isQuiet || element.dataset.passkey === "unavailable";
    if (!isForm) continue;
    element.addEventListener("submit", (event) => {
      event.preventDefault();
      run(element);
    });
  }
  offer();
  afterPassword();
  const own = document.querySelector<HTMLElement>("[data-passkey-signal]");
  if (own !== null) signal(own.dataset.passkeySignal!).catch(() => {});
}
