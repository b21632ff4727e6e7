import {
  accountPage,
  type AutomaticPasskeyMail,
  automaticPasskeys,
  createAuth,
  createMemoryStorage,
  createUser,
  getUser,
  passkey,
  passwords,
} from "@framework/auth";
import { groupOf, passkeyGroup, passwordGroup } from "@framework/auth/storage";
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { cheapHasher } from "../../auth/tests/password_application.ts";
import { findChromium } from "../../scripts/chromium.ts";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";
import { bundlePage } from "../client/client_site.ts";
import { launchBrowser } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { createDevice, type Device } from "./device.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const ADA = "ada@example.com";
const PASSWORD = "a sentence that only tests use";
const hasher = cheapHasher();

/** A page with a script of the application's own. */
const OWN_SCRIPT = `
import { createPasskeyAfterSignIn } from "@framework/auth/client-passkey";
Object.assign(globalThis, { createPasskeyAfterSignIn });
`;

/** The application's own page after a sign-in, as docs/passkeys.md has it. */
function homePage(pathname: string): Response {
  if (pathname === "/own") {
    const page =
      `<!doctype html><html lang="en"><title>Application</title><script type="module" src="/page.js"></script>`;
    return new Response(page, { headers: { "content-type": "text/html" } });
  }
  const page = `<!doctype html><html lang="en"><title>Application</title><h1>Hello ${
    getUser()?.email ?? "nobody"
  }</h1>
<span data-passkey-automatic="/auth/passkey/options/automatic" hidden></span>
<section data-passkey="next-time" hidden>
  <form method="post" action="/auth/passkey/register" data-passkey="register"
    data-options="/auth/passkey/options/register">
    <input type="hidden" name="credential"><input type="hidden" name="callbackUrl" value="/added">
    <button>Use a passkey next time</button>
    <button type="button" data-passkey="dismiss" hidden>Not now</button>
    <p role="alert" hidden></p>
  </form>
</section>
<form method="post" action="/auth/signout"><button>Sign out</button></form>
<script type="module" src="/auth/passkey.js"></script>`;
  return new Response(page, { headers: { "content-type": "text/html" } });
}

interface World {
  origin: string;
  page: Page;
  device: Device;
  mails: AutomaticPasskeyMail[];
  passkeys(): Promise<{ id: string; name: string | null }[]>;
  signIn(to?: string): Promise<void>;
}

async function withWorld(
  work: (world: World) => Promise<void>,
  { init = () => Promise.resolve() }: {
    init?: (page: Page, origin: string) => Promise<void>;
  } = {},
): Promise<void> {
  const mails: AutomaticPasskeyMail[] = [];
  const files = await bundlePage(OWN_SCRIPT);
  const database = createMemoryStorage();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request): Promise<Response> => {
      const { pathname } = new URL(request.url);
      const file = files[pathname];
      if (file !== undefined) {
        return new Response(file, { headers: { "content-type": "text/javascript" } });
      }
      return await auth.handle(request, {}) ??
        await auth.run(request, {}, undefined, () => homePage(pathname));
    },
  );
  const origin: string = `http://localhost:${server.addr.port}`;
  const auth = createAuth({
    baseUrl: origin,
    database,
    rateLimit: false,
    providers: [
      passwords({ sendMail: () => {}, hasher }),
      passkey({
        rpName: "The application",
        automatic: automaticPasskeys({ sendMail: (mail) => void mails.push(mail) }),
      }),
      accountPage(),
    ],
  });
  let userId = "";
  await auth.run(new Request(origin), {}, undefined, async () => {
    const user = await createUser({ email: ADA, emailVerified: new Date() });
    userId = user.id;
    return new Response();
  });
  await groupOf(database, passwordGroup).setPassword({
    userId,
    hash: await hasher.hash(PASSWORD),
    changedAt: Date.now() - 1000,
  });
  const browser = await launchBrowser();
  try {
    const device = await createDevice(browser, { list: false });
    const { page } = device;
    await init(page, origin);
    await work({
      origin,
      page,
      device,
      mails,
      passkeys: () => groupOf(database, passkeyGroup).listPasskeys(userId),
      async signIn(to = "/") {
        await page.goto(`${origin}/auth/signin?callbackUrl=${to}`);
        await page.getByLabel("Email").fill(ADA);
        await page.getByRole("button", { name: "Continue", exact: true }).click();
        await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await page.waitForURL(`${origin}${to}`);
      },
    });
    assert.deepEqual(device.complaints, []);
  } finally {
    await browser.close();
    await server.shutdown();
  }
}

/**
 * Puts a password manager in the place of Chromium's, which answers no `mediation: "conditional"` for a virtual
 * authenticator: it makes a real key and a real attestation, without a user who is present.
 */
async function withPasswordManager(page: Page, origin: string): Promise<void> {
  const authenticator = createSoftwareAuthenticator();
  await page.exposeFunction("makeUnasked", async (options: unknown) => {
    try {
      return await authenticator.create(options, origin, {
        authenticatorData: (data) => data.with(32, data[32]! & ~0x05),
      });
    } catch (error) {
      return { error: (error as Error).name };
    }
  });
  await page.addInitScript(`
    const asText = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
      .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const own = navigator.credentials.create.bind(navigator.credentials);
    navigator.credentials.create = async (request) => {
      if (request.mediation !== "conditional") return await own(request);
      const { challenge, user, rp, excludeCredentials } = request.publicKey;
      const made = await makeUnasked({
        challenge: asText(challenge), rp, user: { id: asText(user.id) },
        excludeCredentials: excludeCredentials.map(({ id }) => ({ id: asText(id) })),
      });
      if (made.error) throw new DOMException("refused", made.error);
      return { toJSON: () => made };
    };`);
}

/** Answer of a browser that makes none by itself. */
const WITHOUT_CREATE = "() => Promise.resolve({ conditionalCreate: false })";

// Tracks: R124
Deno.test(
  "a sign-in with a password makes a passkey without a click, and one click of the mail removes it",
  OPTIONS,
  async () => {
    await withWorld(async ({ page, origin, mails, passkeys, signIn }) => {
      await signIn();
      await until(() => Promise.resolve(mails.length === 1), () => "no mail about the passkey");
      assert.equal((await passkeys()).length, 1);
      // Nothing of it is seen on the page, and nothing is asked for when it is loaded again.
      assert.equal(await page.getByText("passkey").isVisible(), false);
      const asked: string[] = [];
      page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
      await page.reload();
      await page.waitForLoadState("networkidle");
      assert.equal(asked.includes("/auth/passkey/options/automatic"), false);
      await page.goto(mails[0]!.url);
      await page.getByRole("heading", { name: "Remove this passkey?" }).waitFor();
      assert.equal((await passkeys()).length, 1);
      await page.getByRole("button", { name: "Remove this passkey" }).click();
      await page.getByRole("heading", { name: "The passkey is removed." }).waitFor();
      assert.deepEqual(await passkeys(), []);
      await page.goto(mails[0]!.url);
      await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
      assert.equal(origin, new URL(page.url()).origin);
    }, { init: withPasswordManager });
  },
);

Deno.test(
  "a password manager that does not answer holds up nothing: another ceremony ends the wait",
  OPTIONS,
  async () => {
    await withWorld(async ({ page, passkeys, signIn, origin }) => {
      const asked = page.waitForResponse(`${origin}/auth/passkey/options/automatic`);
      await signIn("/auth/account");
      assert.equal((await (await asked).json()).rp.id, "localhost");
      // Chromium itself has the question and does not answer it, as it has no saved password.
      assert.equal(
        await page.evaluate(
          "PublicKeyCredential.getClientCapabilities().then((can) => can.conditionalCreate)",
        ),
        true,
      );
      await page.getByText("Add a passkey", { exact: true }).click();
      await page.getByRole("button", { name: "Create a passkey" }).click();
      await page.getByText("The passkey is added.").waitFor();
      assert.equal((await passkeys()).length, 1);
    });
  },
);

Deno.test(
  "createPasskeyAfterSignIn() makes one from a script of the application, once",
  OPTIONS,
  async () => {
    await withWorld(async ({ page, mails, passkeys, signIn }) => {
      await signIn("/own");
      const unsupported = await page.evaluate(`(async () => {
        const own = PublicKeyCredential.getClientCapabilities;
        PublicKeyCredential.getClientCapabilities = ${WITHOUT_CREATE};
        const { error } = await createPasskeyAfterSignIn();
        PublicKeyCredential.getClientCapabilities = own;
        return error.code;
      })()`);
      assert.equal(unsupported, "PASSKEY_UNSUPPORTED");
      const call =
        "createPasskeyAfterSignIn().then(({ ok, passkey, error }) => ({ ok, id: passkey?.id, error }))";
      const made = await page.evaluate(call) as { ok: boolean; id: string };
      assert.equal(made.ok, true);
      assert.deepEqual((await passkeys()).map(({ id }) => id), [made.id]);
      await until(() => Promise.resolve(mails.length === 1), () => "no mail about the passkey");
      const again = await page.evaluate(call) as typeof made;
      assert.deepEqual([again.ok, again.id], [true, undefined]);
    }, { init: withPasswordManager });
  },
);

/** A browser whose password manager makes no passkeys by itself. */
async function withoutCreate(page: Page): Promise<void> {
  await page.addInitScript(`PublicKeyCredential.getClientCapabilities = ${WITHOUT_CREATE}`);
}

/** Has a browser know no more than a new one, which costs more. */
async function beAnotherBrowser(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.evaluate("localStorage.clear(), sessionStorage.clear()");
}

Deno.test(
  "where no browser makes passkeys one is offered for the next time, once",
  OPTIONS,
  async () => {
    await withWorld(async ({ page, origin, passkeys, signIn }) => {
      await page.goto(origin);
      assert.equal(await page.getByRole("button", { name: "Not now" }).isVisible(), false);
      await signIn();
      const button = page.getByRole("button", { name: "Use a passkey next time" });
      await button.waitFor();
      await page.reload();
      await page.waitForLoadState("networkidle");
      assert.equal(await button.isVisible(), false);
      await page.getByRole("button", { name: "Sign out" }).click();
      await signIn();
      await page.waitForLoadState("networkidle");
      assert.equal(await button.isVisible(), false);
      await beAnotherBrowser(page);
      await signIn();
      await page.getByRole("button", { name: "Not now" }).click();
      await button.waitFor({ state: "hidden" });
      assert.deepEqual(await passkeys(), []);
      await beAnotherBrowser(page);
      await signIn();
      await button.click();
      await page.waitForURL(`${origin}/added`);
      assert.equal((await passkeys()).length, 1);
    }, { init: withoutCreate });
  },
);
