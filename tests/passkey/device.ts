import type { CDPSession, Page } from "playwright-core";
import type { TestBrowser } from "../support/browser.ts";

/** A browser with an authenticator of its own. */
export interface Device {
  page: Page;
  /** Calls the authenticator's domain of the browser's protocol, for this authenticator. */
  command(method: string, params?: object): Promise<Record<string, unknown>>;
  /** What the authenticator has told of its keys, such as "credentialDeleted". */
  told: string[];
  /** Complaints of the page: console, errors, content security policy. */
  complaints: string[];
  close(): Promise<void>;
}

/** Makes one; its authenticator knows its owner and answers at once, without `list` not to the list of a field. */
export async function createDevice(
  browser: TestBrowser,
  { list = true }: { list?: boolean } = {},
): Promise<Device> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    // Chromium reports the status of every answer that refuses.
    const isStatus = /the server responded with a status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !isStatus) {
      complaints.push(`${message.text()} (${page.url()})`);
    }
  });
  page.on("pageerror", (error) => complaints.push(`${error.message} (${page.url()})`));
  const session = await context.newCDPSession(page);
  const send = session.send.bind(session) as (method: string, params?: object) => ReturnType<
    CDPSession["send"]
  >;
  await send("WebAuthn.enable", { enableUI: false });
  // A virtual authenticator picks from the list of a field at once, before anybody can press a button.
  if (!list) {
    // Frames of `data:` addresses, in which development servers show errors, have no passkeys.
    await page.addInitScript(
      "if (globalThis.PublicKeyCredential) " +
        "PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)",
    );
  }
  const told: string[] = [];
  const on = session.on.bind(session) as (event: string, listener: () => void) => unknown;
  for (const name of ["credentialAdded", "credentialDeleted", "credentialUpdated"]) {
    on(`WebAuthn.${name}`, () => void told.push(name));
  }
  const { authenticatorId } = await send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: true,
      defaultBackupState: true,
    },
  }) as unknown as { authenticatorId: string };
  return {
    page,
    told,
    complaints,
    async command(method, params = {}) {
      return await send(`WebAuthn.${method}`, { authenticatorId, ...params }) as never;
    },
    close: () => context.close(),
  };
}
