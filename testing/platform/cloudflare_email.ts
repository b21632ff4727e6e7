// A registered symbol, which all copies of this module share: a test runner may load the package twice.
const RAW: unique symbol = Symbol.for("framework.test.email");

/**
 * Mail in its MIME form, as `env.MAILER.send()` and `message.reply()` take it.
 *
 * @example
 * ```ts
 * import { EmailMessage } from "@framework/testing/cloudflare-email"; // "cloudflare:email"
 * import { equal } from "node:assert/strict";
 *
 * const text = "From: a@app.example\r\nMessage-ID: <1@app.example>\r\n\r\nHello";
 * equal(new EmailMessage("a@app.example", "b@other.example", text).to, "b@other.example");
 * ```
 */
export class EmailMessage {
  /** Address that the mail is sent from. */
  readonly from: string;
  /** Address that the mail is sent to. */
  readonly to: string;

  /**
   * Creates the message; `send()` checks it.
   *
   * @param from Address of the sender, the same as in the `From` header.
   * @param to Address of the recipient.
   * @param raw The mail with its headers (RFC 5322), which can be read once when it is a stream.
   */
  constructor(from: string, to: string, raw: string | ReadableStream<Uint8Array>) {
    this.from = from;
    this.to = to;
    Object.defineProperty(this, RAW, { value: raw });
  }
}

/** Returns the MIME form of an `EmailMessage`; undefined for everything else. */
export function rawOf(message: object): string | ReadableStream<Uint8Array> | undefined {
  return Reflect.get(message, RAW);
}
