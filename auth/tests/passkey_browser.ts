import type { SendOptions } from "./application.ts";
import type {
  CeremonyFaults,
  SoftwareAuthenticator,
} from "../../testing/sign_in/software_authenticator.ts";

/** Application that a browser talks to. */
export interface PasskeyHost {
  /** Sends to an endpoint below /auth. */
  send(path: string, options: SendOptions): Promise<Response>;
}

/** Origin of its pages. */
const ORIGIN = "https://app.example";

/** A browser that keeps cookies. */
export interface PasskeyBrowser {
  /** Its cookies by name. */
  readonly cookies: Map<string, string>;
  /** Sends to an endpoint below /auth and wants JSON. */
  send(path: string, options?: SendOptions): Promise<Response>;
  /** Signs in by password. */
  signIn(name?: string): Promise<void>;
  /** Returns the signed-in user. */
  user(): Promise<string | null>;
  /** Asks for the options of a registration. */
  registrationOptions(fields?: Record<string, string>): Promise<Record<string, unknown>>;
  /** Asks for the options of a sign-in. */
  signInOptions(fields?: Record<string, string>): Promise<Record<string, unknown>>;
  /** Has an authenticator make a passkey, and sends it. */
  register(authenticator: SoftwareAuthenticator, how?: CeremonyHow): Promise<Response>;
  /** Has an authenticator prove a passkey, and sends that. */
  prove(authenticator: SoftwareAuthenticator, how?: CeremonyHow): Promise<Response>;
}

/** Options for a ceremony. */
export interface CeremonyHow {
  /** Sent with the question for the options. */
  ask?: Record<string, string>;
  /** Sent with the answer. */
  fields?: Record<string, string>;
  /** Origin of the page. */
  origin?: string;
  /** Faults of the authenticator or the browser. */
  faults?: CeremonyFaults;
}

/** Makes a browser of an application's visitor. */
export function createPasskeyBrowser({ send }: PasskeyHost): PasskeyBrowser {
  const cookies = new Map<string, string>();

  const browser: PasskeyBrowser = {
    cookies,
    async send(path, options = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await send(path, {
        ...options,
        ...(cookie !== "" && { cookie }),
        headers: { accept: "application/json", ...options.headers },
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
        if (line.includes("Max-Age=0")) cookies.delete(name!);
        else cookies.set(name!, value!);
      }
      return response;
    },
    async signIn(name = "ada") {
      await browser.send("/signin/credentials", { fields: { name, password: "right" } });
    },
    async user() {
      return (await (await browser.send("/session")).json())?.user.id ?? null;
    },
    async registrationOptions(fields = {}) {
      return await (await browser.send("/passkey/options/register", { fields })).json();
    },
    async signInOptions(fields = {}) {
      return await (await browser.send("/passkey/options/authenticate", { fields })).json();
    },
    async register(authenticator, { ask, fields = {}, origin = ORIGIN, faults } = {}) {
      const options = await browser.registrationOptions(ask);
      const credential = JSON.stringify(await authenticator.create(options, origin, faults));
      return await browser.send("/passkey/register", { fields: { ...fields, credential } });
    },
    async prove(authenticator, { ask, fields = {}, origin = ORIGIN, faults } = {}) {
      const options = await browser.signInOptions(ask);
      const credential = JSON.stringify(await authenticator.get(options, origin, faults));
      return await browser.send("/signin/passkey", { fields: { ...fields, credential } });
    },
  };
  return browser;
}

/** Calls the application from a browser. */
export function fetchOf(browser: PasskeyBrowser): typeof globalThis.fetch {
  return (input, init) => {
    const json = init!.body === undefined ? undefined : JSON.parse(String(init!.body));
    return browser.send(String(input).replace("/auth", ""), json && { fields: json });
  };
}
