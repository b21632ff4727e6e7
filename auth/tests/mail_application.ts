import type { AuthOptions } from "../app/options.ts";
import { email } from "../sign_in/email/provider.ts";
import type { EmailConfig } from "../sign_in/email/pending.ts";
import { createTestApplication, passwordProvider, type TestApplication } from "./application.ts";
import type { EmailParams } from "../types/application.ts";

/** An application under test whose visitors sign in by email, and by password. */
export interface MailApplication extends TestApplication {
  /** Sent mails, newest last. */
  outbox: EmailParams[];
  /** Asks for an email and returns the answer. */
  ask(address: string, options?: AskOptions): Promise<Response>;
  /** Presses the button on the page behind the link of an email, the newest one by default. */
  confirm(options?: ConfirmOptions): Promise<Response>;
  /** Types a code. */
  typeCode(code: string, cookie: string): Promise<Response>;
  /** Returns the number of sessions. */
  sessions(): number;
}

/** Options for requesting an email. */
export interface AskOptions {
  cookie?: string;
  callbackUrl?: string;
  headers?: Record<string, string>;
}

/** Options for opening the link of a mail. */
export interface ConfirmOptions {
  mail?: EmailParams;
  cookie?: string;
  fields?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Makes an application whose emails land in a list. */
export function createMailApplication(
  config: Partial<EmailConfig> = {},
  options: Partial<AuthOptions> = {},
): MailApplication {
  const outbox: EmailParams[] = [];
  const provider = email({
    from: "App <hello@app.example>",
    sendVerificationRequest: (params) => Promise.resolve(void outbox.push(params)),
    ...config,
  });
  const application = createTestApplication({
    providers: [provider, passwordProvider()],
    ...options,
  });
  const { send, database } = application;
  return {
    ...application,
    outbox,
    ask(address, { callbackUrl, cookie, headers } = {}) {
      const fields = { email: address, ...(callbackUrl !== undefined && { callbackUrl }) };
      return send("/signin/email", {
        fields,
        ...(cookie !== undefined && { cookie }),
        ...(headers !== undefined && { headers }),
      });
    },
    confirm({ mail = outbox.at(-1)!, cookie, fields = {}, headers } = {}) {
      return send("/callback/email", {
        fields: { token: mail.token, email: mail.identifier, ...fields },
        ...(cookie !== undefined && { cookie }),
        ...(headers !== undefined && { headers }),
      });
    },
    typeCode: (code, cookie) => send("/callback/email/code", { fields: { code }, cookie }),
    sessions() {
      const row = database.sqlite.prepare("SELECT count(*) AS n FROM sessions").get();
      return row!.n as number;
    },
  };
}

/** The path and query of a link, below the endpoints. */
export function linkPath({ url }: EmailParams): string {
  const { pathname, search } = new URL(url);
  return pathname.slice("/auth".length) + search;
}

/** Runs a test with such an application, and closes it. */
export async function withMail(
  work: (application: MailApplication) => Promise<void>,
  config: Partial<EmailConfig> = {},
  options: Partial<AuthOptions> = {},
): Promise<void> {
  const application = createMailApplication(config, options);
  try {
    await work(application);
  } finally {
    application.close();
  }
}
