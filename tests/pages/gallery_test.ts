import assert from "node:assert/strict";
import type { Look } from "../../auth/core/contracts.ts";
import { DEFAULT_LOOK, pageResponse } from "../../auth/pages/frame.ts";
import { readPageTheme } from "../../auth/pages/theme.ts";
import { GALLERY, MAILS } from "../../auth/tests/page_gallery.ts";
import { findChromium } from "../../scripts/chromium.ts";
import { launchBrowser } from "../support/browser.ts";
import { inMatrix } from "../support/matrix.ts";
import { assertLooks, watch } from "./check_page.ts";
import { french, german, spanish } from "@framework/auth/languages";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const THEME = readPageTheme({
  name: "Acme",
  colors: { brand: "#0b6b4f" },
  links: { terms: "/terms", privacy: "/privacy", help: "mailto:help@acme.example" },
  languages: [german, french, spanish, { tag: "ar", direction: "rtl", texts: {} as never }],
});

const LOOKS: Readonly<Record<string, Look>> = {
  plain: DEFAULT_LOOK,
  ...Object.fromEntries(
    ["en", "de", "fr", "es", "ar"].map((tag) => [
      tag,
      THEME.look(
        new Request("https://acme.example/", { headers: { "accept-language": tag } }),
      ),
    ]),
  ),
};

/** Serves each page of the gallery at `/<look>/<name>`, and each mail at `/<look>/mail/<name>`. */
function serveGallery() {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async ({ url }) => {
    const [, look = "", name = "", mail] = new URL(url).pathname.split("/");
    const looks = LOOKS[look];
    if (looks === undefined) return new Response(null, { status: 404 });
    if (name === "mail") {
      return new Response(MAILS[mail!]!(looks).html, { headers: { "content-type": "text/html" } });
    }
    return await THEME.dress(pageResponse(looks, GALLERY[name]!(looks)));
  });
}

async function withGallery(
  work: (open: (path: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const server = serveGallery();
  const browser = await launchBrowser();
  try {
    const origin = `http://127.0.0.1:${server.addr.port}`;
    const context = await browser.newContext();
    const complaints = watch(context, origin);
    const page = await context.newPage();
    await work(async (path) => {
      await page.goto(`${origin}/${path}`);
      await assertLooks(page, `gallery-${path.replaceAll("/", "-")}`);
    });
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
    await server.shutdown();
  }
}

/**
 * The names of those that have a tag which none before has, by its class, role, type, style and the names of its other
 * attributes: the rest is the same markup with other words. The matrix has all.
 */
async function withNewTags(
  names: string[],
  write: (name: string) => string | Promise<string>,
): Promise<string[]> {
  const known = new Set<string>();
  const found: string[] = [];
  for (const name of names) {
    const before = known.size;
    for (const [tag] of (await write(name)).matchAll(/<[a-z][^>]*>/g)) {
      known.add(tag.replace(/ (?!(?:class|role|type|style)=)([\w-]+)="[^"]+"/g, " $1"));
    }
    if (known.size > before || inMatrix) found.push(name);
  }
  return found;
}

// Tracks: R080
Deno.test(
  "pages in every state are accessible, on a phone and a desktop, light and dark",
  OPTIONS,
  async () => {
    await withGallery(async (open) => {
      const look = LOOKS["en"]!;
      const write = (name: string) => pageResponse(look, GALLERY[name]!(look)).text();
      for (const name of await withNewTags(Object.keys(GALLERY), write)) await open(`en/${name}`);
      for (const name of ["sign_in", "sign_up.error", "check_your_mail"]) {
        await open(`plain/${name}`);
      }
    });
  },
);

Deno.test(
  "every language and a script from right to left fit on a phone and a desktop",
  OPTIONS,
  async () => {
    const wide = [
      "sign_in.credentials",
      "sign_up.error",
      "check_your_mail.link",
      ...inMatrix ? ["verify.sign_up_elsewhere", "error.limited", "confirm"] : [],
    ];
    await withGallery(async (open) => {
      for (const look of ["de", "fr", "es", "ar"]) {
        for (const name of wide) await open(`${look}/${name}`);
      }
    });
  },
);

Deno.test(
  "mails are accessible, on a phone and a desktop, light and dark",
  OPTIONS,
  async () => {
    await withGallery(async (open) => {
      const write = (name: string) => MAILS[name]!(LOOKS["en"]!).html;
      for (const name of await withNewTags(Object.keys(MAILS), write)) {
        await open(`en/mail/${name}`);
      }
      for (const look of ["de", "ar"]) await open(`${look}/mail/new_device`);
    });
  },
);

// Tracks: R080
Deno.test(
  "recovery codes are downloaded without script, and copied with it, as an API key is",
  OPTIONS,
  async () => {
    const server = serveGallery();
    const browser = await launchBrowser();
    try {
      const url = `http://127.0.0.1:${server.addr.port}/de/second_factor_setup.codes`;
      const withoutScript = await browser.newPage({ javaScriptEnabled: false });
      await withoutScript.goto(url);
      const shown = (await withoutScript.locator("#codes li").allInnerTexts()).join("\n");
      assert.match(shown, /^(?:[\w-]{19}\n){9}[\w-]{19}$/);
      assert.equal(await withoutScript.getByRole("button", { name: "Kopieren" }).count(), 0);
      const downloading = withoutScript.waitForEvent("download");
      await withoutScript.getByRole("link", { name: "Herunterladen" }).click();
      const download = await downloading;
      assert.equal(download.suggestedFilename(), "Wiederherstellungscodes.txt");
      assert.equal(await Deno.readTextFile(await download.path()), `${shown}\n`);

      const context = await browser.newContext({
        permissions: ["clipboard-read", "clipboard-write"],
      });
      const page = await context.newPage();
      await page.goto(url);
      await page.getByRole("button", { name: "Kopieren" }).click();
      await page.getByRole("button", { name: "Kopiert" }).waitFor();
      assert.equal(await page.evaluate("navigator.clipboard.readText()"), shown);
      await page.goto(new URL("../en/api_key.new", url).href);
      await page.getByRole("button", { name: "Copy" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const key = await page.getByRole("textbox").inputValue();
      assert.equal(await page.evaluate("navigator.clipboard.readText()"), key);
    } finally {
      await browser.close();
      await server.shutdown();
    }
  },
);
