import { rawOf } from "./cloudflare_email.ts";
import { checkHeaders, parseMail } from "./send_email.ts";

/** Mail that arrives, for an application's `email` handler. */
export interface IncomingEmailOptions {
  /** Address of the sender, as the envelope has it. */
  from: string;
  /** Address of the recipient, as the envelope has it. */
  to: string;
  /** The mail with its headers (RFC 5322), a `Message-ID` among them. */
  raw: string | Uint8Array;
}

/** Outcome of an `email` handler. */
export interface IncomingEmailResult {
  /** Reason for which the mail was rejected; undefined when it was not. */
  rejected: string | undefined;
  /** Addresses that the mail was forwarded to, with the headers that were added. */
  forwards: { to: string; headers: [name: string, value: string][]; messageId: string }[];
  /** Replies in their MIME form, as the platform sends them. */
  replies: { from: string; raw: string; messageId: string }[];
}

/** Message with the platform's API, as the `email` handler receives it. */
export interface IncomingEmail {
  readonly from: string;
  readonly to: string;
  readonly headers: Headers;
  readonly raw: ReadableStream<Uint8Array>;
  readonly rawSize: number;
  /** Rejects the mail: its sender gets the reason as a permanent SMTP error. */
  setReject(reason: string): void;
  /** Forwards the mail to a verified address. */
  forward(to: string, headers?: Headers): Promise<{ messageId: string }>;
  /** Replies to the sender. */
  reply(message: object): Promise<{ messageId: string }>;
}

const MAX_BYTES = 25 * 1024 * 1024;
const MAX_REFERENCES = 100;

/**
 * Creates the message of an `email` handler, and the outcome that its methods write.
 *
 * @throws {Error} For a mail without a `Message-ID`, and one of more than 25 MiB.
 * @see https://developers.cloudflare.com/email-routing/email-workers/runtime-api/
 */
export async function createIncomingEmail(
  { from, to, raw }: IncomingEmailOptions,
): Promise<{ message: IncomingEmail; result: IncomingEmailResult }> {
  const { email, size } = await parseMail(raw);
  if (size > MAX_BYTES) {
    throw new Error("The mail is larger than 25 MiB, which the platform does not accept.");
  }
  const headers = new Headers(
    email.headers.map(({ key, value }): [string, string] => [key, value]),
  );
  const result: IncomingEmailResult = { rejected: undefined, forwards: [], replies: [] };
  const messageId = () => `${crypto.randomUUID().replaceAll("-", "")}@example.com`;
  const message: IncomingEmail = {
    from,
    to,
    headers,
    raw: new Blob([typeof raw === "string" ? raw : new Uint8Array(raw)]).stream(),
    rawSize: size,
    setReject(reason) {
      result.rejected = reason;
    },
    async forward(to, headers) {
      const forwarded = { to, headers: [...headers ?? []], messageId: messageId() };
      await Promise.resolve(result.forwards.push(forwarded));
      return { messageId: forwarded.messageId };
    },
    async reply(reply) {
      if (!isReplyable(email, headers)) throw new Error("Original email is not replyable");
      const raw = await prepareReply(email, reply);
      const replied = { from: (reply as { from: string }).from, raw, messageId: messageId() };
      result.replies.push(replied);
      return { messageId: replied.messageId };
    },
  };
  return { message, result };
}

type Parsed = Awaited<ReturnType<typeof parseMail>>["email"];

/** Returns true for a mail that a person wrote, in a conversation that is not too long (RFC 3834). */
function isReplyable({ inReplyTo, references }: Parsed, headers: Headers): boolean {
  const suppressed = headers.get("x-auto-response-suppress")?.toLowerCase() ?? "none";
  const submitted = headers.get("auto-submitted")?.toLowerCase() ?? "no";
  if (suppressed !== "none" || submitted !== "no") return false;
  if (inReplyTo === undefined && references === undefined) return true;
  if (inReplyTo === undefined || references === undefined) return false;
  return (references.match(/@/g)?.length ?? 0) < MAX_REFERENCES;
}

/** Checks a reply as the platform does, and completes its references. */
async function prepareReply(incoming: Parsed, reply: object): Promise<string> {
  const raw = rawOf(reply);
  if (raw === undefined) throw new Error("EmailReplyMessageBuilder is not currently supported");
  const { email, text } = await parseMail(raw);
  if (email.from?.address !== (reply as { from: string }).from) {
    throw new Error("From: header does not match mail from");
  }
  checkHeaders(email);
  if (email.inReplyTo === undefined) {
    throw new Error("no In-Reply-To header found in reply message");
  }
  if (email.inReplyTo !== incoming.messageId) {
    throw new Error("In-Reply-To does not match original Message-ID");
  }
  const before = incoming.references ?? "";
  if (email.references === undefined) {
    return `References: ${incoming.messageId}${before === "" ? "" : ` ${before}`}\r\n${text}`;
  }
  if (email.references.includes(incoming.messageId) && email.references.includes(before)) {
    return text;
  }
  throw new Error("provided References header is invalid");
}
