import type { BrowserContextOptions, CDPSession, Page } from "playwright-core";

/** What a person may have set in the browser. */
export interface Visitor {
  /** Part of the screenshots' names. */
  name: string;
  options: BrowserContextOptions;
}

/** A phone in the dark, a desktop in the light, and a browser without scripts. */
export const visitors: Visitor[] = [
  {
    name: "desktop-light",
    options: { colorScheme: "light", viewport: { width: 1280, height: 800 } },
  },
  {
    name: "phone-dark",
    options: { colorScheme: "dark", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
  },
  {
    name: "no-script",
    options: { javaScriptEnabled: false, viewport: { width: 800, height: 700 } },
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

/** How wide a page is, and how much of that the screen shows. */
export async function overflow(page: Page): Promise<{ content: number; shown: number }> {
  const content = await page.evaluate("document.documentElement.scrollWidth");
  return { content: Number(content), shown: page.viewportSize()?.width ?? 0 };
}
