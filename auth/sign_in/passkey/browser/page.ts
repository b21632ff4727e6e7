/// <reference lib="dom" />

import {
  createPasskey,
  getPasskey,
  isConditionalSupported,
  isPasskeySupported,
} from "./ceremony.ts";

// The challenge of the server holds for five minutes, and a sign-in page may stand open for longer.
const RENEWAL = 4 * 60 * 1000;

const FIELD = 'input[autocomplete~="webauthn"],input[autocomplete~="username"],input[type="email"]';

/** For forms of an application that bring no texts of their own. */
const MESSAGES: Record<string, string> = {
  NotAllowedError: "That was cancelled, or took too long. Try again.",
  InvalidStateError: "This device already has a passkey for this account.",
  SecurityError: "Passkeys do not work at this address.",
};

/** The wait for a choice in the list of a field. Browsers take one ceremony at a time. */
let waiting: AbortController | undefined;

async function fetchOptions(form: HTMLFormElement): Promise<object> {
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  const response = await fetch(form.dataset.options!, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams(fields),
  });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) {
    const { code, message = "Something went wrong. Try again." } = body;
    const minutes = Math.ceil(Number(response.headers.get("retry-after")) / 60);
    const isSoon = code === "RATE_LIMITED" && minutes <= 1;
    throw Object.assign(new Error(message), { name: isSoon ? "RATE_LIMITED_SOON" : code, minutes });
  }
  return body;
}

function send(form: HTMLFormElement, credential: string): void {
  form.querySelector<HTMLInputElement>('input[name="credential"]')!.value = credential;
  form.submit();
}

/** Message from the form's template, in the language of the page, else the English one. */
function textFor(
  form: HTMLFormElement,
  { name, message, minutes }: Error & { minutes?: number },
): string {
  const texts = form.querySelector("template")?.content.querySelectorAll<HTMLElement>(
    "[data-message]",
  );
  const textOf = (key: string) =>
    [...texts ?? []].find(({ dataset }) => dataset.message === key)?.textContent;
  const text = textOf(name) ?? textOf("other") ?? MESSAGES[name] ?? message;
  return text.replace("{minutes}", String(minutes));
}

function show(form: HTMLFormElement, text: string): void {
  const place = form.querySelector<HTMLElement>('[role="alert"]');
  if (place === null) return;
  place.textContent = text;
  place.hidden = text === "";
}

async function run(form: HTMLFormElement): Promise<void> {
  waiting?.abort();
  show(form, "");
  try {
    const options = await fetchOptions(form);
    const work = form.dataset.passkey === "register" ? createPasskey : getPasskey;
    send(form, await work(options));
  } catch (error) {
    show(form, textFor(form, error as Error));
    offer();
  }
}

/** Offers passkeys in the list of a field where people type who they are. */
async function offer(): Promise<void> {
  const form = document.querySelector<HTMLFormElement>('form[data-passkey="sign-in"]');
  const field = document.querySelector<HTMLInputElement>(FIELD);
  if (form === null || field === null || !await isConditionalSupported()) return;
  if (!field.autocomplete.includes("webauthn")) {
    field.autocomplete = "username webauthn" as AutoFill;
  }
  const wait = waiting = new AbortController();
  const renewal = setTimeout(() => {
    wait.abort();
    offer();
  }, RENEWAL);
  try {
    const options = await fetchOptions(form);
    send(form, await getPasskey(options, { conditional: true, signal: wait.signal }));
  } catch {
    // Nobody chose one, or the button was faster: the page works as without the list.
  } finally {
    clearTimeout(renewal);
  }
}

if (isPasskeySupported()) {
  for (const element of document.querySelectorAll<HTMLElement>("[data-passkey]")) {
    element.hidden = element.dataset.passkey === "unavailable";
    if (!(element instanceof HTMLFormElement)) continue;
    element.addEventListener("submit", (event) => {
      event.preventDefault();
      run(element);
    });
  }
  offer();
}
