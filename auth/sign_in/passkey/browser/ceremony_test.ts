import assert from "node:assert/strict";
import { fromBase64UrlBytes, toBase64Url } from "../../../lib/encoding.ts";
import { ORIGIN } from "../../../tests/application.ts";
import { createPasskeyApplication } from "../../../tests/passkey_application.ts";
import { createPasskeyBrowser } from "../../../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../../testing/sign_in/software_authenticator.ts";
import {
  createPasskey,
  getPasskey,
  isConditionalSupported,
  isPasskeySupported,
} from "./ceremony.ts";

type Json = Record<string, unknown>;

function toText(value: unknown): unknown {
  return value instanceof Uint8Array ? toBase64Url(value) : value;
}

/** Converts bytes of a page to the form that the software authenticator accepts. */
function asJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) {
    return toText(value);
  }
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, asJson(entry)]));
}

/** Runs work where the globals of a browser are, one that has passkeys and none of the JSON functions. */
async function inOldBrowser(
  credentials: { create?(request: Json): Promise<unknown>; get?(request: Json): Promise<unknown> },
  work: () => Promise<void>,
): Promise<void> {
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator")!;
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { credentials } });
  Object.defineProperty(globalThis, "PublicKeyCredential", { configurable: true, value: {} });
  try {
    await work();
  } finally {
    Object.defineProperty(globalThis, "navigator", before);
    delete (globalThis as { PublicKeyCredential?: unknown }).PublicKeyCredential;
  }
}

/** A credential as browsers without `toJSON()` have it. */
function withBuffers(
  { id, type, response }: { id: string; type: string; response: Json },
): unknown {
  const parts = Object.entries(response).map(([name, value]) =>
    typeof value === "string"
      ? [name, fromBase64UrlBytes(value).slice().buffer]
      : ["getTransports", () => value]
  );
  return { id, type, response: Object.fromEntries(parts) };
}

Deno.test("createPasskey() and getPasskey() do without the JSON functions of newer browsers", async () => {
  assert.equal(isPasskeySupported(), false);
  assert.equal(await isConditionalSupported(), false);
  const application = createPasskeyApplication();
  const desk = createPasskeyBrowser(application);
  const authenticator = createSoftwareAuthenticator();
  await desk.signIn();
  const requests: Json[] = [];
  const credentials = {
    async create(request: Json) {
      requests.push(request);
      return withBuffers(await authenticator.create(asJson(request.publicKey), ORIGIN) as never);
    },
    async get(request: Json) {
      requests.push(request);
      return withBuffers(await authenticator.get(asJson(request.publicKey), ORIGIN) as never);
    },
  };
  await inOldBrowser(credentials, async () => {
    assert.equal(isPasskeySupported(), true);
    assert.equal(await isConditionalSupported(), false);
    const made = await createPasskey(await desk.registrationOptions());
    const added = await desk.send("/passkey/register", { fields: { credential: made } });
    assert.equal(added.status, 200);
    assert.deepEqual((await added.json()).transports, ["internal"]);
    const { signal } = new AbortController();
    const options = await desk.signInOptions({ reauthenticate: "true" });
    const proof = await getPasskey(options, { conditional: true, signal });
    const signedIn = await desk.send("/signin/passkey", { fields: { credential: proof } });
    assert.equal(signedIn.status, 200);
    assert.deepEqual(Object.keys(requests[0]!), ["publicKey"]);
    assert.equal(requests[1]!.mediation, "conditional");
    assert.equal(requests[1]!.signal, signal);
    const [allowed] = (requests[1]!.publicKey as { allowCredentials: Json[] }).allowCredentials;
    assert.ok(allowed!.id instanceof Uint8Array);
  });
  application.close();
});
