import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import { cheapHasher } from "../../auth/tests/password_application.ts";
import { findChromium } from "../../scripts/chromium.ts";
import { launchBrowser, type TestBrowser } from "../support/browser.ts";
import { accountPage, github, type PasswordMail, passwords, secondFactor } from "@framework/auth";
import { linkedAccountGroup } from "../../auth/storage/accounts.ts";
import { passkeyGroup } from "../../auth/storage/passkeys.ts";
import { secondFactorGroup } from "../../auth/storage/second_factors.ts";
import { groupOf } from "../../auth/storage/storage.ts";
import { inMatrix } from "../support/matrix.ts";
import { until } from "../support/until.ts";
import { createDevice, type Device } from "./device.ts";
import {
  type PasskeySite,
  type PasskeySiteOptions,
  RP_ID,
  servePasskeySite,
} from "./passkey_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

interface World {
  browser: TestBrowser;
  site: PasskeySite;
  /** The site's first origin. */
  origin: string;
  device: Device;
  page: Page;
}

/** Devices that wait for a next test, by `list`: a profile of the browser for each costs more than most of what is done in it. */
const waiting = new Map<boolean, Device>();

/** Has a device know nothing of what was done with it. */
async function forget({ page, command, told, complaints }: Device): Promise<void> {
  await page.goto("about:blank");
  await page.context().clearCookies();
  await command("clearCredentials");
  told.length = 0;
  complaints.length = 0;
}

async function withWorld(
  options: PasskeySiteOptions & { list?: boolean },
  work: (world: World) => Promise<void>,
): Promise<void> {
  const { list = false } = options;
  const site = servePasskeySite(options);
  const browser = await launchBrowser();
  const device = waiting.get(list) ?? await createDevice(await launchBrowser(), { list });
  waiting.delete(list);
  try {
    await work({ browser, site, origin: site.origin(RP_ID), device, page: device.page });
    assert.deepEqual(device.complaints, []);
    await forget(device);
    waiting.set(list, device);
  } finally {
    if (!waiting.has(list)) await device.close();
    await browser.close();
    await site.close();
  }
}

/** Posts a form from a page of the application: the pages that have it are the matter of other tests. */
async function post(page: Page, origin: string, path: string, fields = {}): Promise<void> {
  if (new URL(page.url()).origin !== origin) await page.goto(origin);
  const type = await page.evaluate(
    `fetch(${JSON.stringify(path)}, { method: "POST", redirect: "manual",
      body: new URLSearchParams(${JSON.stringify(fields)}) }).then(({ type }) => type)`,
  );
  assert.equal(type, "opaqueredirect");
}

async function signInByPassword(page: Page, origin: string, name = "ada"): Promise<void> {
  await post(page, origin, "/auth/signin/credentials", { name, password: "right" });
}

async function addPasskey(page: Page, origin: string): Promise<void> {
  if (page.url() !== `${origin}/`) await page.goto(origin);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.waitForURL(`${origin}/added`);
}

async function signOut(page: Page, origin: string): Promise<void> {
  await post(page, origin, "/auth/signout");
}

async function clickPasskey(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/auth/signin?callbackUrl=/inside`);
  await page.getByRole("button", { name: "Continue with a passkey" }).click();
}

async function signInByPasskey(page: Page, origin: string): Promise<string | null> {
  await clickPasskey(page, origin);
  await page.waitForURL(`${origin}/inside`);
  return await page.getByRole("heading").textContent();
}

/** Returns the page's message after a click that leads nowhere. */
async function alertAfterClick(page: Page, origin: string): Promise<string | null> {
  await clickPasskey(page, origin);
  const alert = page.getByRole("alert").filter({ hasText: /\S/ });
  await alert.waitFor();
  return (await alert.textContent())!.trim();
}

async function countCredentials({ command }: Device): Promise<number> {
  const { credentials } = await command("getCredentials");
  return (credentials as unknown[]).length;
}

// Tracks: R124
Deno.test(
  "Chromium adds a passkey, signs in with it without a name, and makes no second one",
  OPTIONS,
  async () => {
    await withWorld({}, async ({ origin, page, device, site }) => {
      await signInByPassword(page, origin);
      await addPasskey(page, origin);
      assert.equal(await countCredentials(device), 1);
      await page.getByLabel("Passkey").fill("Second");
      await page.getByRole("button", { name: "Add a passkey" }).click();
      const alert = page.getByRole("alert").filter({ hasText: "already" });
      await alert.waitFor();
      assert.equal(
        await alert.textContent(),
        "This device already has a passkey for this account.",
      );
      assert.equal(await countCredentials(device), 1);
      await signOut(page, origin);
      assert.equal(await signInByPasskey(page, origin), "Hello ada");
      assert.deepEqual(
        site.events.map(({ type }) => type),
        ["sign-up", "sign-in", "passkey-added", "sign-out", "sign-in"],
      );
    });
  },
);

Deno.test(
  "Chromium offers passkeys in the list of the field in which users name themselves",
  OPTIONS,
  async () => {
    const field = { label: "Name", type: "email" } as const;
    await withWorld({ field, list: true }, async ({ origin, page, device }) => {
      await signInByPassword(page, origin, "ada@example.com");
      await addPasskey(page, origin);
      await signOut(page, origin);
      // The virtual authenticator picks the passkey as soon as it is offered.
      await page.goto(`${origin}/auth/signin?callbackUrl=/inside`);
      await page.waitForURL(`${origin}/inside`);
      assert.equal(await page.getByRole("heading").textContent(), "Hello ada@example.com");
      await signOut(page, origin);
      await device.command("clearCredentials");
      await page.goto(`${origin}/auth/signin`);
      const filled = page.locator('input[autocomplete="username webauthn"]');
      await filled.waitFor();
      await filled.fill("ada@example.com");
      await page.getByLabel("Password", { exact: true }).fill("right");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.waitForURL(`${origin}/`);
    });
  },
);

// Of a second device tells the test below, of another origin related_browser_test.ts.
if (inMatrix) {
  Deno.test(
    "Chromium signs in on two devices and on both origins, each with its own passkey",
    OPTIONS,
    async () => {
      await withWorld({}, async ({ browser, origin, site, device, page }) => {
        await signInByPassword(page, origin);
        await addPasskey(page, origin);
        const phone = await createDevice(browser, { list: false });
        await signInByPassword(phone.page, origin);
        await addPasskey(phone.page, origin);
        for (const one of [device, phone]) {
          for (const host of [RP_ID, `shop.${RP_ID}`]) {
            assert.equal(await signInByPasskey(one.page, site.origin(host)), "Hello ada");
          }
        }
        const list = await page.evaluate(
          "fetch('/auth/passkeys').then((response) => response.json())",
        );
        const [first, second] = list as { id: string; lastUsedAt: string | null }[];
        assert.ok(first!.lastUsedAt !== null && second!.lastUsedAt !== null);
        assert.notEqual(first!.id, second!.id);
        const removed = await page.evaluate(
          `fetch("/auth/passkeys/${first!.id}", { method: "DELETE" }).then(({ status }) => status)`,
        );
        assert.equal(removed, 204);
        const alerts = await Promise.allSettled([
          alertAfterClick(device.page, origin),
          signInByPasskey(phone.page, origin),
        ]);
        assert.deepEqual(alerts.map((one) => one.status === "fulfilled" ? one.value : null), [
          "This passkey does not work here. Try another one.",
          "Hello ada",
        ]);
        assert.deepEqual(phone.complaints, []);
      });
    },
  );
}

/** Text of the alert that has one. */
async function alertOf(page: Page): Promise<string> {
  const alert = page.getByRole("alert").filter({ hasText: /\S/ });
  await alert.waitFor();
  return (await alert.textContent())!.trim();
}

/** Opens the form of the account page that adds a passkey. */
async function openAddition(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/auth/account`);
  await page.getByText("Add a passkey", { exact: true }).click();
}

/** Opens the form of the sign-in page by which somebody new signs up. */
async function openSignUp(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/auth/signin?callbackUrl=/inside`);
  await page.getByText("Create an account with a passkey").first().click();
  await page.getByLabel("Your name").fill("Grace");
}

Deno.test(
  "Chromium stays on the page when a new passkey does not arrive, says why, and keeps none that was refused",
  OPTIONS,
  async () => {
    const options = { passkey: { signUp: true }, further: [accountPage()] };
    await withWorld(options, async ({ origin, page, device }) => {
      const forms = [
        { open: openSignUp, button: "Create an account with a passkey", path: "/auth/signin" },
        { open: openAddition, button: "Create a passkey", path: "/auth/account" },
      ];
      for (const { open, button, path } of forms) {
        if (open === openAddition) {
          await device.command("clearCredentials");
          await signInByPassword(page, origin);
        }
        await open(page, origin);
        const press = page.getByRole("button", { name: button });
        const register = /\/passkey\/register$/;
        const trySending = async (route: (route: Route) => Promise<void>) => {
          await page.route(register, route);
          await press.click();
          const text = await alertOf(page);
          await page.unroute(register);
          assert.equal(new URL(page.url()).pathname, path);
          return text;
        };
        assert.equal(
          await trySending((route) => route.abort("internetdisconnected")),
          "We could not be reached. Check your connection and try again.",
        );
        assert.equal(
          await trySending((route) => route.fulfill({ status: 502, body: "<h1>Bad gateway</h1>" })),
          "Something went wrong. Try again in a moment.",
        );
        // An answer that was lost says nothing of what is stored.
        assert.equal(await countCredentials(device), 2);
        device.told.length = 0;
        const text = await trySending(async (route) => {
          await page.context().clearCookies({ name: /framework\.passkey$/ });
          await route.fallback({ headers: { ...route.request().headers(), cookie: "" } });
        });
        assert.equal(text, "That took too long. Try again.");
        // Nor does the answer to a challenge that is used: it may have come twice.
        assert.equal(await countCredentials(device), 3);
        // A virtual authenticator has room for three.
        await device.command("clearCredentials");
        const json = { code: "PASSKEY_NOT_ADDED", message: "This passkey could not be added" };
        await trySending((route) => route.fulfill({ status: 400, json }));
        await untilTold(device, "credentialDeleted");
        assert.equal(await countCredentials(device), 0);
        await press.click();
        if (open === openSignUp) {
          await page.waitForURL(`${origin}/inside`);
          assert.equal(await page.getByRole("heading").textContent(), "Hello Grace");
          await signOut(page, origin);
        } else await page.getByText("The passkey is added.").waitFor();
      }
      device.complaints.length = 0;
    });
  },
);

Deno.test(
  "Chromium's page says of a new passkey what is so of a new one, and of a sign-in what is so of it",
  OPTIONS,
  async () => {
    await withWorld({ further: [accountPage()] }, async ({ origin, page }) => {
      const failing = (method: "create" | "get", name: string) =>
        page.evaluate(
          `void (navigator.credentials.${method} = () => Promise.reject(new DOMException("raw", "${name}")))`,
        );
      await signInByPassword(page, origin);
      await openAddition(page, origin);
      const added: string[] = [];
      for (const name of ["NotAllowedError", "NotSupportedError", "InvalidStateError"]) {
        await failing("create", name);
        await page.getByRole("button", { name: "Create a passkey" }).click();
        added.push(await alertOf(page));
      }
      assert.deepEqual(added, [
        "That was cancelled, or took too long. Try again.",
        "This device cannot make a passkey that works here. Use another one.",
        "This device already has a passkey for this account.",
      ]);
      await signOut(page, origin);
      await page.goto(`${origin}/auth/signin`);
      for (const name of ["NotSupportedError", "InvalidStateError"]) {
        await failing("get", name);
        await page.getByRole("button", { name: "Continue with a passkey" }).click();
        assert.equal(await alertOf(page), "This passkey does not work here. Try another one.");
      }
      // A form of the application that brings no texts.
      await signInByPassword(page, origin);
      await page.goto(origin);
      for (
        const [name, text] of [
          ["ConstraintError", /^This device cannot check that it is you/],
          ["NotSupportedError", /^This device cannot make a passkey/],
          ["TypeError", /^We could not be reached/],
        ] as const
      ) {
        await failing("create", name);
        await page.getByRole("button", { name: "Add a passkey" }).click();
        assert.match(await alertOf(page), text);
      }
    });
  },
);

Deno.test(
  "Chromium's account page takes back that a passkey was added when the next one is not",
  OPTIONS,
  async () => {
    await withWorld({ further: [accountPage()] }, async ({ origin, page }) => {
      await signInByPassword(page, origin);
      await openAddition(page, origin);
      await page.getByRole("button", { name: "Create a passkey" }).click();
      const note = page.getByText("The passkey is added.");
      await note.waitFor();
      await page.getByText("Add a passkey", { exact: true }).click();
      await page.getByRole("button", { name: "Create a passkey" }).click();
      assert.match(await alertOf(page), /already has a passkey/);
      assert.equal(await note.count(), 0);
      assert.equal(await page.getByRole("status").count(), 0);
    });
  },
);

Deno.test(
  "a form that adds a passkey leads where the application says, and nowhere by script",
  OPTIONS,
  async () => {
    await withWorld({}, async ({ origin, page, site, device }) => {
      await signInByPassword(page, origin);
      const addAt = async (start: string, callbackUrl: string) => {
        await device.command("clearCredentials");
        await page.goto(origin + start);
        await page.locator('form[data-passkey] input[name="callbackUrl"]')
          .evaluate((input, value) => input.setAttribute("value", value), callbackUrl);
        const loaded = page.waitForEvent("load");
        await page.getByRole("button", { name: "Add a passkey" }).click();
        await loaded;
        await page.waitForLoadState();
        return page.url();
      };
      assert.equal(await addAt("/", "inside?a=b#c"), `${origin}/inside?a=b#c`);
      // The page itself is loaded again, else its list would be that of before.
      assert.equal(await addAt("/inside", "/inside#passkeys"), `${origin}/inside#passkeys`);
      for (const elsewhere of ["javascript:alert(1)", "https://evil.example/", "http://["]) {
        assert.equal(await addAt("/inside", elsewhere), `${origin}/`, elsewhere);
      }
      assert.equal((await groupOf(site.database, passkeyGroup).listPasskeys("ada")).length, 5);
    });
  },
);

Deno.test(
  "Chromium offers passkeys in the list again after one was refused, and not without end",
  OPTIONS,
  async () => {
    const field = { label: "Name", type: "email" } as const;
    await withWorld({ field, list: true }, async ({ origin, page, device, site }) => {
      await signInByPassword(page, origin, "ada@example.com");
      await addPasskey(page, origin);
      await signOut(page, origin);
      let sent = 0;
      let refused = 1;
      await page.route(/\/signin\/passkey$/, async (route) => {
        if (sent++ >= refused) return await route.continue();
        await route.fulfill({ status: 400, json: { code: "PASSKEY_EXPIRED", message: "Late" } });
      });
      // The virtual authenticator picks the passkey as soon as it is offered.
      await page.goto(`${origin}/auth/signin?callbackUrl=/inside`);
      await page.waitForURL(`${origin}/inside`);
      assert.equal(sent, 2);
      await signOut(page, origin);
      sent = 0;
      refused = Infinity;
      await page.goto(`${origin}/auth/signin`);
      await until(() => Promise.resolve(sent === 4), () => `${sent} were sent`);
      await page.waitForLoadState("networkidle");
      assert.equal(sent, 4);
      assert.equal(await alertOf(page), "That took too long. Try again.");
      await page.unrouteAll();
      assert.equal(site.events.filter(({ type }) => type === "sign-in").length, 2);
      assert.deepEqual(device.complaints, []);
    });
  },
);

/** Waits until the authenticator has told of this. */
async function untilTold({ told }: Device, name: string): Promise<void> {
  await until(() => Promise.resolve(told.includes(name)), () => `${name} is missing: ${told}`);
}

// Another way in, so that the last passkey can be removed.
const FURTHER = [accountPage(), github({ clientId: "id", clientSecret: "secret" })];

// Tracks: R177
Deno.test(
  "Chromium's password manager keeps no ghost of a passkey that was removed, and the present name",
  OPTIONS,
  async () => {
    await withWorld({ further: FURTHER }, async ({ browser, origin, page, device, site }) => {
      await signInByPassword(page, origin);
      await addPasskey(page, origin);
      await groupOf(site.database, linkedAccountGroup).linkAccount({
        provider: "github",
        providerAccountId: "1",
        userId: "ada",
        type: "oauth",
        accessToken: null,
        refreshToken: null,
        expiresAt: null,
        tokenType: null,
        scope: null,
        createdAt: 0,
        updatedAt: 0,
        email: null,
      });
      // The account page tells the new name.
      await page.goto(`${origin}/auth/account`);
      await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForURL(/done=saved/);
      const names = async () => {
        const { credentials } = await device.command("getCredentials");
        const [credential] = credentials as { userName: string; userDisplayName: string }[];
        return `${credential?.userName}, ${credential?.userDisplayName}`;
      };
      await until(async () => await names() === "Ada Lovelace, Ada Lovelace", () => "the old name");
      assert.ok(device.told.includes("credentialUpdated"));
      // Another browser, whose manager has none of it.
      const phone = await createDevice(browser, { list: false });
      await signInByPassword(phone.page, origin);
      await addPasskey(phone.page, origin);
      // The account page, on which it is removed.
      await page.locator("summary", { hasText: "Remove" }).first().click();
      await page.getByRole("button", { name: /^Remove this passkey/ }).first().click();
      await page.waitForURL(/done=passkey-removed/);
      await untilTold(device, "credentialDeleted");
      assert.equal(await countCredentials(device), 0);
      assert.equal(await countCredentials(phone), 1);
      // The last one: no passkey names the user any more.
      await phone.page.goto(`${origin}/auth/account`);
      await phone.page.locator("summary", { hasText: "Remove" }).click();
      await phone.page.getByRole("button", { name: /^Remove this passkey/ }).click();
      await phone.page.waitForURL(/done=passkey-removed/);
      await untilTold(phone, "credentialDeleted");
      assert.equal(await countCredentials(phone), 0);
      assert.deepEqual(phone.complaints, []);
    });
  },
);

// Tracks: R177
Deno.test(
  "Chromium's password manager drops what was removed elsewhere, at the next sign-in",
  OPTIONS,
  async () => {
    await withWorld({}, async ({ origin, page, device, site }) => {
      const passkeys = groupOf(site.database, passkeyGroup);
      await signInByPassword(page, origin);
      await addPasskey(page, origin);
      const [passkey] = await passkeys.listPasskeys("ada");
      await passkeys.deletePasskey("ada", passkey!.id, { keep: null });
      await signOut(page, origin);
      assert.match((await alertAfterClick(page, origin))!, /does not work here/);
      await untilTold(device, "credentialDeleted");
      assert.equal(await countCredentials(device), 0);
    });
  },
);

// Tracks: R114
Deno.test(
  "Chromium cannot sign in whom the device did not verify, nor whoever is not there",
  OPTIONS,
  async () => {
    const passkey = { userVerification: "required" } as const;
    await withWorld({ passkey }, async ({ origin, page, device }) => {
      await signInByPassword(page, origin);
      await addPasskey(page, origin);
      await signOut(page, origin);
      await device.command("setUserVerified", { isUserVerified: false });
      assert.match(
        (await alertAfterClick(page, origin))!,
        /cancelled, took too long, or this device has no passkey that is known here/,
      );
      await device.command("setUserVerified", { isUserVerified: true });
      // Who is there and was not verified is told so; who is not there is told nothing.
      for (
        const [fault, said] of [
          ["isBadUV", /This device cannot check that it is you/],
          ["isBadUP", /does not work here/],
        ] as const
      ) {
        await device.command("setResponseOverrideBits", { [fault]: true });
        assert.match((await alertAfterClick(page, origin))!, said, fault);
        await device.command("setResponseOverrideBits", { [fault]: false });
      }
      assert.equal(await signInByPasskey(page, origin), "Hello ada");
    });
  },
);

Deno.test(
  "Chromium's page says why there is no passkey: none here, nobody reached",
  OPTIONS,
  async () => {
    await withWorld({}, async ({ origin, page, device }) => {
      // The same for who has no account, and for who has one without a passkey in this device.
      const stranger = await alertAfterClick(page, origin);
      assert.match(stranger!, /this device has no passkey that is known here/);
      await signInByPassword(page, origin);
      await signOut(page, origin);
      assert.equal(await alertAfterClick(page, origin), stranger);
      await page.goto(`${origin}/auth/signin`);
      await page.context().setOffline(true);
      await page.getByRole("button", { name: "Continue with a passkey" }).click();
      const alert = page.getByRole("alert").filter({ hasText: "reached" });
      await alert.waitFor();
      assert.equal(
        (await alert.textContent())!.trim(),
        "We could not be reached. Check your connection and try again.",
      );
      await page.context().setOffline(false);
      device.complaints.length = 0;
    });
  },
);

// Tracks: R121
Deno.test("Chromium cannot sign in with a bogus signature", OPTIONS, async () => {
  await withWorld({}, async ({ origin, page, device }) => {
    await signInByPassword(page, origin);
    await addPasskey(page, origin);
    await signOut(page, origin);
    await device.command("setResponseOverrideBits", { isBogusSignature: true });
    assert.match((await alertAfterClick(page, origin))!, /does not work here/);
    await device.command("setResponseOverrideBits", { isBogusSignature: false });
    assert.equal(await signInByPasskey(page, origin), "Hello ada");
  });
});

// Tracks: R122, F34
Deno.test("Chromium with a copy of a key is refused and reported", OPTIONS, async () => {
  await withWorld({}, async ({ origin, page, device, site }) => {
    await signInByPassword(page, origin);
    await addPasskey(page, origin);
    assert.equal(await signInByPasskey(page, origin), "Hello ada");
    const { credentials } = await device.command("getCredentials");
    const [credential] = credentials as { credentialId: string }[];
    await signOut(page, origin);
    await device.command("removeCredential", { credentialId: credential!.credentialId });
    await device.command("addCredential", { credential: { ...credential, signCount: 0 } });
    assert.match((await alertAfterClick(page, origin))!, /does not work here/);
    const [event] = site.events.filter(({ type }) => type === "replay-detected");
    assert.deepEqual([event?.userId, event?.provider], ["ada", "passkey"]);
  });
});

// Tracks: R111
Deno.test(
  "Chromium on a host that is not the application's gets no passkey of it",
  OPTIONS,
  async () => {
    await withWorld({}, async ({ origin, page, site, device }) => {
      await signInByPassword(page, origin);
      await addPasskey(page, origin);
      // Below the domain, so that the browser agrees; not among the origins, so that the server does not.
      assert.match(
        (await alertAfterClick(page, site.origin(`evil.${RP_ID}`)))!,
        /does not work here/,
      );
      assert.match(
        (await alertAfterClick(page, site.origin("evil.localhost")))!,
        /not work at this address/,
      );
      device.complaints.length = 0;
    });
  },
);

Deno.test(
  "Chromium offers passkeys on each page on which people say who they are",
  OPTIONS,
  async () => {
    const mails: PasswordMail[] = [];
    const further = [
      passwords({ sendMail: (mail) => void mails.push(mail), minLength: 8, hasher: cheapHasher() }),
    ];
    await withWorld({ further, list: true }, async ({ origin, page, device }) => {
      await device.command("setAutomaticPresenceSimulation", { enabled: false });
      const fieldOf = async () => {
        const field = page.locator('input[autocomplete~="webauthn"]');
        await field.waitFor();
        assert.equal(await field.count(), 1);
        return [await field.getAttribute("id"), await field.getAttribute("autocomplete")];
      };
      for (const path of ["/signin", "/signup", "/forgot"]) {
        await page.goto(`${origin}/auth${path}`);
        assert.deepEqual(await fieldOf(), ["email", "username webauthn"], path);
      }
      await page.goto(`${origin}/auth/signin`);
      await page.getByLabel("Email", { exact: true }).fill("ada@example.com");
      await page.getByRole("button", { name: "Continue", exact: true }).click();
      await page.getByRole("heading", { name: "Enter your password" }).waitFor();
      assert.deepEqual(await fieldOf(), ["password", "current-password webauthn"]);
      await device.command("setAutomaticPresenceSimulation", { enabled: true });
    });
  },
);

Deno.test(
  "Chromium signs in from the list of the page that asks for a password, and says there what is wrong",
  OPTIONS,
  async () => {
    const further = [passwords({ sendMail: () => {}, minLength: 8, hasher: cheapHasher() })];
    await withWorld({ further, list: true }, async ({ origin, page, site }) => {
      await signInByPassword(page, origin);
      await addPasskey(page, origin);
      await signOut(page, origin);
      const askPassword = async () => {
        await page.setContent(
          `<form method="post" action="${origin}/auth/signin?callbackUrl=/inside">
<input name="email" value="ada@example.com"><input name="callbackUrl" value="/inside"><button>Go</button></form>`,
        );
        await page.getByRole("button", { name: "Go" }).click();
      };
      await askPassword();
      await page.waitForURL(`${origin}/inside`);
      assert.equal(await page.getByRole("heading").textContent(), "Hello ada");
      await signOut(page, origin);
      const passkeys = groupOf(site.database, passkeyGroup);
      const [passkey] = await passkeys.listPasskeys("ada");
      await passkeys.deletePasskey("ada", passkey!.id, { keep: null });
      await askPassword();
      await page.getByRole("alert").filter({ hasText: "does not work here" }).waitFor();
    });
  },
);

// Tracks: R109
Deno.test("Chromium's list asks for a new challenge before the old one ends", OPTIONS, async () => {
  const field = { label: "Name", type: "email" } as const;
  await withWorld({ field }, async ({ browser, origin }) => {
    const { page, complaints } = await createDevice(browser);
    let asked = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/passkey/options/authenticate")) asked++;
    });
    // A virtual authenticator without passkeys answers at once; a person may take their time.
    await page.addInitScript(
      `navigator.credentials.get = ({ signal }) => new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    })`,
    );
    // The page's time stands still, however slow the machine is.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1000);
    const first = page.waitForResponse(/options\/authenticate$/);
    await page.goto(`${origin}/auth/signin`);
    await first;
    await page.clock.fastForward(239_000);
    assert.equal(asked, 1);
    const second = page.waitForResponse(/options\/authenticate$/);
    await page.clock.fastForward(2_000);
    await second;
    assert.equal(asked, 2);
    assert.deepEqual(complaints, []);
  });
});

Deno.test(
  "without scripts the page offers no passkey, and the rest of it works",
  OPTIONS,
  async () => {
    await withWorld({}, async ({ browser, origin }) => {
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(`${origin}/auth/signin`);
      assert.equal(
        await page.getByRole("button", { name: "Continue with a passkey" }).isVisible(),
        false,
      );
      assert.equal(await page.locator(".or").first().isVisible(), false, "there is nothing above");
      await page.getByLabel("Name").fill("ada");
      await page.getByLabel("Password", { exact: true }).fill("right");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.waitForURL(`${origin}/`);
      assert.equal(await page.getByRole("heading").textContent(), "Hello ada");
    });
  },
);

// Tracks: R170, R172
Deno.test(
  "a passkey answers the question for the second factor after a password",
  OPTIONS,
  () =>
    withWorld({ further: [secondFactor()] }, async ({ site, page, origin }) => {
      await signInByPassword(page, origin);
      await addPasskey(page, origin);
      assert.equal(
        await groupOf(site.database, secondFactorGroup).putFactor({
          userId: "ada",
          secret: "sealed",
          lastStep: 0,
          createdAt: Date.now(),
          codes: [],
          replaces: null,
        }),
        true,
      );
      await signOut(page, origin);
      await signInByPassword(page, origin);
      await page.goto(`${origin}/auth/second-factor?callbackUrl=%2Fprivate`);
      await page.getByRole("button", { name: "Continue with a passkey" }).click();
      await page.waitForURL(`${origin}/private`);
      assert.match((await page.textContent("h1"))!, /Hello ada/);
    }),
);
