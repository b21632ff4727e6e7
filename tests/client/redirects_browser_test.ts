import assert from "node:assert/strict";
import { HOSTILE_ADDRESSES } from "../../auth/tests/hostile_addresses.ts";
import { findChromium } from "../../scripts/chromium.ts";
import { launchBrowser } from "../support/browser.ts";
import { inMatrix } from "../support/matrix.ts";
import { bundlePage, serveClientSite } from "./client_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const SCRIPT = `import * as client from "@framework/auth/client";
Object.assign(globalThis, { client });`;

interface Outcome {
  address: string;
  signIn: string | null;
  signOut: string | null;
  failure: string | null;
}

/** Signs in and out with each address, in the page, and says where it would be sent. */
const TRY_ALL = `async (addresses) => {
  const outcomes = [];
  for (const address of addresses) {
    const sent = [];
    const fetch = async (input, init) => {
      const response = await globalThis.fetch(input, init);
      if (response.status >= 500) throw new Error(String(response.status));
      sent.push((await response.clone().json()).redirectTo);
      return response;
    };
    const signedIn = await client.signIn("credentials",
      { name: "ada", redirectTo: address, redirect: false }, { fetch });
    await client.signOut({ redirectTo: address, redirect: false }, { fetch });
    outcomes.push({ address, signIn: signedIn.redirectTo ?? null, signOut: sent[1] ?? null,
      failure: signedIn.ok ? null : signedIn.error.code });
  }
  return outcomes;
}`;

// Tracks: CVE-2022-29214, CVE-2022-31093, CVE-2021-43812, CVE-2022-24794, CVE-2022-3145, CVE-2020-11053, GHSA-vp58-j275-797x, CVE-2025-71403
Deno.test(
  "the client goes nowhere but to the application and to origins that it trusts",
  OPTIONS,
  async () => {
    const trusted = "https://admin.example";
    const site = serveClientSite(await bundlePage(SCRIPT), () => ({ trustedOrigins: [trusted] }));
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const left: string[] = [];
      await page.route((url) => url.origin !== site.origin, async (route) => {
        left.push(route.request().url());
        await route.abort();
      });
      page.on("dialog", async (dialog) => {
        left.push(dialog.message());
        await dialog.dismiss();
      });
      await page.goto(site.origin);
      await page.waitForFunction("globalThis.client");
      const corpus = HOSTILE_ADDRESSES.map((address) =>
        address.replaceAll("https://app.example", site.origin)
          .replaceAll("app.example", new URL(site.origin).host)
      );
      const outcomes = await page.evaluate(
        `(${TRY_ALL})(${JSON.stringify(corpus)})`,
      ) as Outcome[];
      assert.equal(outcomes.length, corpus.length);
      for (const { address, signIn, signOut, failure } of outcomes) {
        const about = JSON.stringify(address);
        assert.equal(failure, null, about);
        assert.equal(new URL(signIn!).origin, site.origin, about);
        assert.equal(new URL(signOut!).origin, site.origin, about);
      }
      const [own] = await page.evaluate(
        `(${TRY_ALL})(${JSON.stringify([`${trusted}/inside`])})`,
      ) as Outcome[];
      assert.deepEqual([own!.signIn, own!.signOut], [`${trusted}/inside`, `${trusted}/inside`]);
      // What the browser itself makes of some of them.
      for (const address of corpus.filter((_, index) => index % (inMatrix ? 12 : 36) === 0)) {
        const values = JSON.stringify({ name: "ada", redirectTo: address });
        const gone = page.waitForNavigation({ waitUntil: "commit" });
        await page.evaluate(`void client.signIn("credentials", ${values})`);
        await gone;
        assert.equal(new URL(page.url()).origin, site.origin, JSON.stringify(address));
        await page.goto(site.origin);
        await page.waitForFunction("globalThis.client");
      }
      const odd = await page.evaluate(
        `client.signIn("//evil.example/../x", { redirect: false }).then(({ error }) => error.code)`,
      );
      assert.equal(odd, "NOT_FOUND");
      assert.deepEqual(left, []);
    } finally {
      await browser.close();
      await site.close();
    }
  },
);
