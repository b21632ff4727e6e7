import type { AuthContext, DefaultEnv, EmailParams } from "./application.ts";

/** What `sendVerificationRequest` gets besides. */
export interface EmailContext<Env = DefaultEnv> extends AuthContext<Env> {
  /** The sender, as configured. */
  from: string;
  /** Aborts when the library stops waiting, after 10 seconds. */
  signal: AbortSignal;
}

/** What `email()` takes: the sender, what delivers, and how long a link holds. */
export interface EmailConfig<Env = DefaultEnv> {
  /** Its name in addresses and in the list of providers. Default 'email'. */
  id?: string;
  /** Its name on the sign-in page. Default 'E-mail'. */
  name?: string;
  /** The sender, such as "App <hello@app.example>". */
  from: string;
  /** How long a link holds, in seconds, up to a year. Default 86400. */
  maxAge?: number;
  /**
   * Whether a link holds only in the browser that asked for it. Default false: the page behind the link
   * says so, and asks.
   */
  sameBrowser?: boolean;
  /**
   * Whether there is a code of six digits too, to be typed where it was asked for. It holds ten minutes and
   * five attempts, and only in that browser. Default false.
   */
  code?: boolean;
  /**
   * Delivers the link. What it throws, or 10 seconds without an end, is answered with EMAIL_NOT_SENT.
   *
   * It is called for known and unknown addresses alike.
   */
  sendVerificationRequest(params: EmailParams, context: EmailContext<Env>): Promise<void>;
}

/** What is checked of the configuration. */
export interface CheckedEmail extends Required<Omit<EmailConfig, "sendVerificationRequest">> {
  /** See {@linkcode EmailConfig}. */
  send(params: EmailParams, context: EmailContext<unknown>): Promise<void>;
}
