import assert from "node:assert/strict";
import type { BrowserContextOptions, CDPSession, Page } from "playwright-core";
import { takePicture } from "../support/picture.ts";

/** Browser settings of a person. */
export interface Visitor {
  /** Part of the pictures' names. */
  name: string;
  options: BrowserContextOptions;
}

const DESKTOP = { colorScheme: "light", viewport: { width: 1280, height: 800 } } as const;
const PHONE = { colorScheme: "dark", viewport: { width: 390, height: 844 } } as const;

/** A desktop in the light, and a phone in the dark whose browser has no scripts. */
export const visitors: Visitor[] = [
  { name: "desktop-light", options: DESKTOP },
  {
    name: "phone-dark-no-script",
    options: { ...PHONE, deviceScaleFactor: 2, javaScriptEnabled: false },
  },
];

/**
 * Collects what a page complains about: the console, errors, its policy, and requests to other origins.
 *
 * @param origins Those that it may ask.
 */
export function watch(page: Page, origins: readonly string[]): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    // Chromium reports the status of every refused page that a walk asks for on purpose.
    const refused = /status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !refused) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    const { origin } = new URL(request.url());
    if (!origins.includes(origin)) complaints.push(`Asked for ${request.url()}`);
  });
  return complaints;
}

/**
 * Gives a page's browser a device that makes passkeys, knows its owner and answers at once. The list of passkeys
 * below a field is switched off: with such a device, opening a sign-in page would sign in.
 */
export async function addAuthenticator(page: Page): Promise<void> {
  await page.addInitScript(
    "PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)",
  );
  const session = await page.context().newCDPSession(page);
  const send = session.send.bind(session) as (method: string, params: object) => ReturnType<
    CDPSession["send"]
  >;
  await send("WebAuthn.enable", { enableUI: false });
  await send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/**
 * Looks at a page: nothing is wider than the screen.
 *
 * @param name What it is called in failures and pictures.
 * @param everywhere Whether to look on the other visitor's screen too, as they do not come here. Default: false.
 */
export async function look(
  page: Page,
  name: string,
  { everywhere = false }: { everywhere?: boolean } = {},
): Promise<void> {
  const own = page.viewportSize()!;
  await takePicture(page, name);
  const content = Number(await page.evaluate("document.documentElement.scrollWidth"));
  assert.ok(content <= own.width, `${name} is ${content} px wide on a screen of ${own.width} px`);
  if (!everywhere) return;
  const other = own.width === PHONE.viewport.width ? DESKTOP : PHONE;
  await page.setViewportSize(other.viewport);
  await look(page, `${name}-${other.viewport.width}`);
  await page.setViewportSize(own);
}
