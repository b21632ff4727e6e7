import { createMemoryStorage, credentials, defaultTheme, passkey } from "@framework/auth";
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { createDevice, type Device } from "../passkey/device.ts";
import { launchBrowser } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { bundlePage, type ClientSite, serveClientSite } from "./client_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const SCRIPT = `
import * as client from "@framework/auth/client";
import * as passkeys from "@framework/auth/client-passkey";
document.querySelector("#app").innerHTML = '<label>Name <input autocomplete="username webauthn"></label>';
Object.assign(globalThis, { client, passkeys });
`;

interface World {
  site: ClientSite;
  page: Page;
  device: Device;
  clock: { ahead: number };
}

async function withWorld(
  work: (world: World) => Promise<void>,
  script: string = SCRIPT,
): Promise<void> {
  const clock = { ahead: 0 };
  const site = serveClientSite(await bundlePage(script), (origin) => ({
    database: createMemoryStorage(),
    pages: { theme: defaultTheme },
    baseUrl: origin,
    now: () => Date.now() + clock.ahead,
    providers: [
      credentials({
        credentials: { name: { label: "Name", type: "text" } },
        authorize: ({ name }) => Promise.resolve({ id: name!, name: name! }),
      }),
      passkey({ rpName: "The application", rpId: "localhost", origin, signUp: true }),
    ],
  }));
  const browser = await launchBrowser();
  try {
    const device = await createDevice(browser);
    await device.page.goto(site.origin);
    await device.page.getByLabel("Name").waitFor();
    await work({ site, page: device.page, device, clock });
    assert.deepEqual(device.complaints.filter((line) => !/status of 40[13]/.test(line)), []);
  } finally {
    await browser.close();
    await site.close();
  }
}

interface Result {
  ok: boolean;
  error?: { code: string; status: number; message: string };
  passkey?: { name: string } | null;
  session?: { user: { name: string } } | null;
  redirectTo?: string;
}

function run(page: Page, code: string): Promise<Result> {
  return page.evaluate(code);
}

const STAY = "redirect: false";

Deno.test("registerPasskey() adds one, signInWithPasskey() signs in with it", OPTIONS, async () => {
  await withWorld(async ({ site, page }) => {
    await run(page, `client.signIn("credentials", { name: "ada", ${STAY} })`);
    const added = await run(page, `passkeys.registerPasskey({ passkeyName: "Desk" })`);
    assert.deepEqual([added.ok, added.passkey?.name, added.session], [true, "Desk", null]);
    const dates = await page.evaluate(
      `passkeys.registerPasskey().then(({ error }) => error.code)`,
    );
    assert.equal(dates, "PASSKEY_EXISTS");
    await run(page, `client.signOut({ ${STAY} })`);
    const back = await run(page, `passkeys.signInWithPasskey({ ${STAY}, redirectTo: "/inside" })`);
    assert.deepEqual([back.ok, back.session?.user.name, back.redirectTo], [
      true,
      "ada",
      `${site.origin}/inside`,
    ]);
    const again = await run(page, `passkeys.signInWithPasskey({ ${STAY}, reauthenticate: true })`);
    assert.equal(again.ok, true);
  });
});

Deno.test(
  "registerPasskey() signs up somebody new, and asks for a fresh proof",
  OPTIONS,
  async () => {
    await withWorld(async ({ page, clock }) => {
      const made = await run(page, `passkeys.registerPasskey({ name: "Grace", ${STAY} })`);
      assert.deepEqual([made.ok, made.passkey, made.session?.user.name], [true, null, "Grace"]);
      clock.ahead = 3_600_000;
      const old = await run(page, `passkeys.registerPasskey()`);
      assert.equal(old.error?.code, "REAUTHENTICATION_REQUIRED");
    });
  },
);

Deno.test(
  "signInWithPasskey() says what the user, or the server, did not want",
  OPTIONS,
  async () => {
    await withWorld(async ({ page, device, site }) => {
      const ended = await run(
        page,
        `(() => { const end = new AbortController();
      const result = passkeys.signInWithPasskey({ signal: end.signal }); end.abort(); return result; })()`,
      );
      assert.equal(ended.error?.code, "PASSKEY_CANCELLED");
      const none = await run(page, `passkeys.registerPasskey()`);
      assert.equal(none.error?.code, "BAD_REQUEST");
      await run(page, `passkeys.registerPasskey({ name: "Grace", ${STAY} })`);
      await device.command("setResponseOverrideBits", { isBogusSignature: true });
      const bogus = await run(page, `passkeys.signInWithPasskey({ ${STAY} })`);
      assert.deepEqual([bogus.error?.code, bogus.error?.status], ["PASSKEY_REFUSED", 401]);
      assert.equal(page.url(), `${site.origin}/`);
      device.complaints.length = 0;
    });
  },
);

Deno.test(
  "the client says what the browser's exceptions mean, of a new passkey and of a sign-in",
  OPTIONS,
  async () => {
    await withWorld(async ({ page }) => {
      await run(page, `client.signIn("credentials", { name: "ada", ${STAY} })`);
      const failing = async (method: "create" | "get", name: string) => {
        const { error } = await run(
          page,
          `(() => {
            navigator.credentials.${method} = () => Promise.reject(new DOMException("raw", "${name}"));
            return passkeys.${
            method === "get" ? "signInWithPasskey" : "registerPasskey"
          }({ ${STAY} });
          })()`,
        );
        return [error?.code, error?.message];
      };
      const refused = "This passkey does not work here. Try another one.";
      const unverified =
        "This device cannot check that it is you. Set up a PIN, fingerprint or face on it, or use another one.";
      for (
        const [method, name, code, message] of [
          ["get", "NotSupportedError", "PASSKEY_FAILED", refused],
          ["get", "InvalidStateError", "PASSKEY_FAILED", refused],
          ["get", "ConstraintError", "PASSKEY_FAILED", unverified],
          ["get", "UnknownError", "PASSKEY_FAILED", "raw"],
          [
            "get",
            "SecurityError",
            "PASSKEY_WRONG_ADDRESS",
            "Passkeys do not work at this address.",
          ],
          ["create", "ConstraintError", "PASSKEY_FAILED", unverified],
          [
            "create",
            "NotSupportedError",
            "PASSKEY_FAILED",
            "This device cannot make a passkey that works here. Use another one.",
          ],
          [
            "create",
            "InvalidStateError",
            "PASSKEY_EXISTS",
            "This device already has a passkey for this account.",
          ],
        ] as const
      ) {
        assert.deepEqual(await failing(method, name), [code, message], `${method} ${name}`);
      }
    });
  },
);

Deno.test(
  "registerPasskey() has the password manager drop what the server refused, and nothing else",
  OPTIONS,
  async () => {
    await withWorld(async ({ page, device }) => {
      await run(page, `client.signIn("credentials", { name: "ada", ${STAY} })`);
      const kept = async () =>
        ((await device.command("getCredentials")).credentials as unknown[]).length;
      const rows = [
        [503, "STORAGE_UNAVAILABLE", 1],
        [400, "PASSKEY_NOT_ADDED", 1],
        // It may be there: the answer is that to what came twice.
        [400, "PASSKEY_EXPIRED", 2],
      ] as const;
      for (const [status, code, count] of rows) {
        await page.route(
          /\/passkey\/register$/,
          (route) => route.fulfill({ status, json: { code, message: "Late" } }),
        );
        const result = await run(page, "passkeys.registerPasskey()");
        assert.deepEqual([result.error?.code, result.error?.status], [code, status]);
        assert.equal(await kept(), count, code);
        await page.unrouteAll();
      }
      assert.ok(device.told.includes("credentialDeleted"));
      device.complaints.length = 0;
    });
  },
);

Deno.test("signInWithPasskey() offers passkeys in the list of a field", OPTIONS, async () => {
  await withWorld(async ({ page, site }) => {
    await run(page, `passkeys.registerPasskey({ name: "Grace", ${STAY} })`);
    await run(page, `client.signOut({ ${STAY} })`);
    // The virtual authenticator picks the passkey as soon as it is offered.
    await page.evaluate(
      `void passkeys.signInWithPasskey({ conditional: true, redirectTo: "/inside" })`,
    );
    await page.waitForURL(`${site.origin}/inside`);
    const session = await page.evaluate(
      `fetch("/auth/session").then((response) => response.json())`,
    );
    assert.equal((session as { user: { name: string } }).user.name, "Grace");
  });
});

/** A page that imports nothing of passkeys. */
const LAZY_SCRIPT = `
import * as client from "@framework/auth/client";
document.querySelector("#app").innerHTML = '<label>Name <input autocomplete="username webauthn"></label>';
Object.assign(globalThis, { client });
`;

/** Signs up on the built-in page, so that the page under test has loaded nothing of passkeys yet. */
async function signUpElsewhere(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/auth/signin?callbackUrl=/`);
  await page.getByText("Create an account with a passkey").first().click();
  await page.getByLabel("Your name").fill("Grace");
  await page.getByRole("button", { name: "Create an account with a passkey" }).click();
  await page.waitForURL(`${origin}/`);
  await run(page, `client.signOut({ ${STAY} })`);
}

Deno.test(
  'signIn("passkey") loads what it needs when it is first asked, and signs in',
  OPTIONS,
  async () => {
    await withWorld(async ({ site, page }) => {
      await signUpElsewhere(page, site.origin);
      const loaded: string[] = [];
      page.on("request", (request) => {
        if (request.resourceType() === "script") loaded.push(new URL(request.url()).pathname);
      });
      await page.reload();
      const before = loaded.length;
      assert.ok(before >= 1 && !loaded.some((path) => path.includes("passkey")));
      await run(page, `client.signIn("credentials", { name: "ada", ${STAY} })`);
      await run(page, `client.signOut({ ${STAY} })`);
      assert.equal(loaded.length, before, "no other way to sign in loads it");
      const result = await run(
        page,
        `client.signIn("passkey", { callbackUrl: "/inside", ${STAY} })`,
      );
      assert.deepEqual([result.ok, result.session?.user.name, result.redirectTo], [
        true,
        "Grace",
        `${site.origin}/inside`,
      ]);
      assert.ok(loaded.slice(before).some((path) => path.includes("passkey")));
      const asked = loaded.length;
      assert.equal(
        (await run(page, `client.signIn("passkey", { reauthenticate: true, ${STAY} })`)).ok,
        true,
      );
      assert.equal(loaded.length, asked, "it is loaded once");
      await run(page, `client.signOut({ ${STAY} })`);
      await page.evaluate(
        `void client.signIn("passkey", { conditional: true, redirectTo: "/inside" })`,
      );
      await page.waitForURL(`${site.origin}/inside`);
    }, LAZY_SCRIPT);
  },
);

Deno.test(
  'signIn("passkey") says what went wrong, also when its part cannot be loaded',
  OPTIONS,
  async () => {
    await withWorld(async ({ page, device, site }) => {
      await page.route(/passkey-/, (route) => route.abort());
      const lost = await run(page, `client.signIn("passkey")`);
      assert.deepEqual([lost.ok, lost.error?.code, lost.error?.status], [
        false,
        "NETWORK_ERROR",
        0,
      ]);
      assert.equal(page.url(), `${site.origin}/`);
      await page.unroute(/passkey-/);
      await page.reload();
      await page.getByLabel("Name").waitFor();
      const ended = await run(
        page,
        `(() => { const end = new AbortController();
      const result = client.signIn("passkey", { signal: end.signal }); end.abort(); return result; })()`,
      );
      assert.equal(ended.error?.code, "PASSKEY_CANCELLED");
      device.complaints.length = 0;
    }, LAZY_SCRIPT);
  },
);

Deno.test(
  "the list of a field gets a new challenge in time, and gives way to a button",
  OPTIONS,
  async () => {
    await withWorld(async ({ page }) => {
      let asked = 0;
      page.on("request", (request) => {
        if (request.url().endsWith("/passkey/options/authenticate")) asked++;
      });
      // Somebody who takes their time, and a browser whose time runs fast.
      await page.evaluate(`{
      navigator.credentials.get = ({ signal }) => new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
      const real = AbortSignal.timeout;
      AbortSignal.timeout = (time) => real.call(AbortSignal, time === 240000 ? 200 : time);
      globalThis.waiting = passkeys.signInWithPasskey({ conditional: true });
      void 0;
    }`);
      await until(() => Promise.resolve(asked >= 3), () => `It asked ${asked} times for options`);
      await page.evaluate(`void passkeys.signInWithPasskey()`);
      const result = await page.evaluate("globalThis.waiting") as Result;
      assert.equal(result.error?.code, "PASSKEY_CANCELLED");
    });
  },
);
