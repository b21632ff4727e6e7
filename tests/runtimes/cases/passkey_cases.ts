import { passkey, type PasskeyConfig } from "@framework/auth";
import assert from "node:assert/strict";
import { createPasskeyBrowser, type PasskeyBrowser } from "../../../auth/tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { createApplication, ORIGIN, passwordProvider } from "../application.ts";
import type { Case, World } from "../behaviour.ts";

const PASSKEYS: PasskeyConfig = {
  rpName: "The application",
  rpId: "app.example",
  origin: ORIGIN,
  signUp: true,
};

/** Makes an application with passkeys, and gives what makes browsers for it. */
async function openBrowsers(world: World): Promise<() => PasskeyBrowser> {
  const { send } = await createApplication(world, {
    rateLimit: false,
    providers: [passwordProvider(), passkey(PASSKEYS)],
  });
  return () => createPasskeyBrowser({ send: (path, sent) => send(`/auth${path}`, sent) });
}

async function codeOf(response: Response): Promise<string> {
  return (await response.json()).code;
}

/** Cases about passkeys. */
export const PASSKEY_CASES: Record<string, Case> = {
  // Tracks: R122, R127
  "a passkey of every algorithm is added, signs in, is listed, renamed and removed": async (
    world,
  ) => {
    const open = await openBrowsers(world);
    const seen: unknown[] = [];
    for (const algorithm of ["ES256", "EdDSA", "RS256"] as const) {
      const authenticator = createSoftwareAuthenticator({ algorithm });
      const desk = open();
      await desk.signIn(algorithm);
      const added = await desk.register(authenticator, { fields: { passkeyName: algorithm } });
      assert.equal(added.status, 200, await added.clone().text());
      const { id, ...described } = await added.json();
      seen.push(described);
      for (let time = 0; time < 2; time++) {
        const visitor = open();
        const signedIn = await visitor.prove(authenticator);
        assert.equal(signedIn.status, 200, await signedIn.clone().text());
        assert.equal(await visitor.user(), algorithm);
      }
      authenticator.credentials[0]!.counter = 0;
      assert.equal(await codeOf(await open().prove(authenticator)), "PASSKEY_REFUSED");
      const rename = { method: "PATCH", fields: { name: "Key ring" } };
      assert.equal((await desk.send(`/passkeys/${id}`, rename)).status, 204);
      const [passkey] = await (await desk.send("/passkeys")).json();
      assert.equal(passkey.name, "Key ring");
      const last = await desk.send(`/passkeys/${id}`, { method: "DELETE" });
      assert.equal(await codeOf(last), "LAST_WAY_IN");
      assert.equal((await desk.register(createSoftwareAuthenticator())).status, 200);
      assert.equal((await desk.send(`/passkeys/${id}`, { method: "DELETE" })).status, 204);
      authenticator.credentials[0]!.counter = 100;
      assert.equal(await codeOf(await open().prove(authenticator)), "PASSKEY_UNKNOWN");
    }
    return seen;
  },
  // Tracks: R121, R111, R116
  "a passkey is refused for its signature, its origin and its key": async (world) => {
    const open = await openBrowsers(world);
    const authenticator = createSoftwareAuthenticator();
    const desk = open();
    await desk.signIn();
    await desk.register(authenticator);
    const codes: string[] = [];
    function flip(bytes: Uint8Array): Uint8Array {
      bytes[bytes.length - 1]! ^= 1;
      return bytes;
    }
    codes.push(await codeOf(await open().prove(authenticator, { faults: { signature: flip } })));
    codes.push(await codeOf(await open().prove(authenticator, { origin: "https://evil.example" })));
    codes.push(
      await codeOf(
        await desk.register(createSoftwareAuthenticator(), {
          faults: { publicKey: (key) => key.set(-2, new Uint8Array(32).fill(7)) },
        }),
      ),
    );
    assert.deepEqual(codes, ["PASSKEY_REFUSED", "PASSKEY_REFUSED", "PASSKEY_NOT_ADDED"]);
    return codes;
  },
  // Tracks: R109, F09
  "of 20 answers at once to one challenge one is taken": async (world) => {
    const open = await openBrowsers(world);
    const authenticator = createSoftwareAuthenticator();
    const visitor = open();
    const made = await visitor.register(authenticator, { ask: { name: "Ada" } });
    assert.equal(made.status, 200, await made.clone().text());
    const other = open();
    const proof = await authenticator.get(await other.signInOptions(), ORIGIN);
    const fields = { credential: JSON.stringify(proof) };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => other.send("/signin/passkey", { fields })),
    );
    const statuses = replies.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array(19).fill(400)]);
    assert.equal(await other.user(), await visitor.user());
  },
};
