import type { Email } from "postal-mime";
import { rawOf } from "./cloudflare_email.ts";

/** Address of a mail, with or without a name. */
export type EmailAddress = string | { email: string; name?: string };

/** File of a mail. */
export interface EmailAttachment {
  /** Name of the file. */
  filename: string;
  /** Media type, such as `application/pdf`. */
  type: string;
  /** Content: text, or bytes. */
  content: string | ArrayBuffer | ArrayBufferView;
  /** Place of the file: beside the text, or in its HTML. */
  disposition: "attachment" | "inline";
  /** Id by which the HTML names the file. */
  contentId?: string;
}

/** Mail as an object, from which the platform builds the MIME form. */
export interface EmailBuilder {
  from: EmailAddress;
  to: EmailAddress | EmailAddress[];
  subject: string;
  text?: string;
  html?: string;
  cc?: EmailAddress | EmailAddress[];
  bcc?: EmailAddress | EmailAddress[];
  replyTo?: EmailAddress;
  headers?: Record<string, string>;
  attachments?: EmailAttachment[];
}

/** Mail that the application sent by a binding of `send_email`. */
export interface SentEmail {
  /** Address of the sender, without a name. */
  from: string;
  /** Addresses of the recipients, without names. */
  to: string[];
  /** Addresses of those who get a copy, without names. */
  cc: string[];
  /** Addresses of those who get a copy that nobody sees, without names. */
  bcc: string[];
  /** Subject, decoded. */
  subject: string;
  /** Plain text; "" without one. */
  text: string;
  /** HTML; "" without one. */
  html: string;
  /** Further headers of an object, or all headers of a mail in MIME form, with names in lower case. */
  headers: Record<string, string>;
  /** Attached files. */
  attachments: EmailAttachment[];
  /** The MIME form, when the application sent that. */
  raw?: string;
  /** Id that the platform gave the mail. */
  messageId: string;
  /** Time of sending, by the test's clock. */
  sent: Date;
}

/** Binding of `send_email` with the platform's API. */
export interface EmailSender {
  /**
   * Sends a mail.
   *
   * @throws {Error} With the platform's message, for an address that the binding does not allow and a mail that the
   * platform refuses.
   */
  send(mail: object): Promise<{ messageId: string }>;
  /** Takes the mails that were sent, in sending order. For tests; the platform has no such method. */
  take(): SentEmail[];
}

/** Addresses that a binding allows, as the platform file names them. */
export interface EmailRules {
  destinationAddress?: string | undefined;
  allowedDestinationAddresses?: readonly string[] | undefined;
  allowedSenderAddresses?: readonly string[] | undefined;
}

/**
 * Creates a binding that stores mails in the place of sending them.
 *
 * @param options `now`: milliseconds since 1970; `guard`: called before each use; `rules`: addresses that are allowed,
 * by default all; `sent`: where mails are stored, by default an empty list; `emailed`: receives each mail too.
 * @see https://developers.cloudflare.com/email-routing/email-workers/send-email-workers/
 */
export function createEmailSender(options: {
  now: () => number;
  guard?: () => void;
  rules?: EmailRules;
  sent?: SentEmail[];
  emailed?: ((mail: SentEmail) => void) | undefined;
}): EmailSender {
  const { now, guard, rules = {}, sent = [], emailed } = options;

  async function read(mail: object): Promise<Omit<SentEmail, "messageId" | "sent">> {
    const raw = rawOf(mail);
    if (raw === undefined) {
      const builder = mail as EmailBuilder;
      checkSender(rules, addressOf(builder.from));
      // The platform's own emulator looks at `to` alone.
      for (const each of addressesOf(builder.to)) checkDestination(rules, each);
      return readBuilder(builder);
    }
    const { from, to } = mail as { from: string; to: string };
    checkSender(rules, from);
    checkDestination(rules, to);
    const { email, text } = await parseMail(raw);
    if (email.from?.address !== from) throw new Error("From: header does not match mail from");
    checkHeaders(email);
    return readMime(email, { from, to: [to], raw: text });
  }

  return {
    async send(mail) {
      guard?.();
      const content = await read(mail);
      const messageId = createMessageId(content.from);
      const email: SentEmail = { ...content, messageId, sent: new Date(now()) };
      sent.push(email);
      emailed?.(email);
      return { messageId };
    },
    take: () => sent.splice(0),
  };
}

/** A mail and its MIME form as text. */
export interface ParsedMail {
  email: Email;
  text: string;
  /** Number of bytes of the MIME form. */
  size: number;
}

/**
 * Parses the MIME form of a mail.
 *
 * @throws {Error} With the platform's message, for one without an id.
 */
export async function parseMail(raw: string | ReadableStream | Uint8Array): Promise<ParsedMail> {
  // Imported here, so that tests without mails do not load the parser.
  const { default: PostalMime } = await import("postal-mime");
  const bytes = new Uint8Array(await new Response(raw as BodyInit).arrayBuffer());
  const email = await PostalMime.parse(bytes).catch((error: Error) => {
    throw new Error(`could not parse email: ${error.message}`);
  });
  if (email.messageId === undefined) throw new Error("invalid message-id");
  return { email, text: new TextDecoder().decode(bytes), size: bytes.length };
}

/** Refuses headers that the platform alone writes. */
export function checkHeaders({ headers }: Email): void {
  let read: Headers;
  try {
    read = new Headers(headers.map(({ key, value }): [string, string] => [key, value]));
  } catch (error) {
    throw new Error(`could not parse email: ${(error as Error).message}`);
  }
  if (read.has("received")) throw new Error("invalid headers set");
}

function readMime(
  email: Email,
  { from, to, raw }: { from: string; to: string[]; raw: string },
): Omit<SentEmail, "messageId" | "sent"> {
  const listed = (list: Email["to"]) => (list ?? []).flatMap(({ address }) => address ?? []);
  return {
    from,
    to,
    cc: listed(email.cc),
    bcc: listed(email.bcc),
    subject: email.subject ?? "",
    text: email.text ?? "",
    html: email.html ?? "",
    headers: Object.fromEntries(
      email.headers.map(({ key, value }): [string, string] => [key, value]),
    ),
    attachments: email.attachments.map((file) => ({
      filename: file.filename ?? "",
      type: file.mimeType,
      content: file.content,
      disposition: file.disposition === "inline" ? "inline" : "attachment",
      ...(file.contentId === undefined ? {} : { contentId: file.contentId }),
    })),
    raw,
  };
}

function readBuilder(builder: EmailBuilder): Omit<SentEmail, "messageId" | "sent"> {
  const { replyTo, headers = {} } = builder;
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  if (replyTo !== undefined) named.push(["reply-to", addressOf(replyTo)]);
  return {
    from: addressOf(builder.from),
    to: addressesOf(builder.to),
    cc: addressesOf(builder.cc ?? []),
    bcc: addressesOf(builder.bcc ?? []),
    subject: builder.subject,
    text: builder.text ?? "",
    html: builder.html ?? "",
    headers: Object.fromEntries(named),
    attachments: structuredClone(builder.attachments ?? []),
  };
}

function addressesOf(given: EmailAddress | EmailAddress[]): string[] {
  return [given].flat().map(addressOf);
}

function addressOf(address: EmailAddress): string {
  if (typeof address !== "string") return address.email;
  return (/<([^>]+)>$/.exec(address)?.[1] ?? address).trim();
}

function checkSender({ allowedSenderAddresses: allowed }: EmailRules, from: string): void {
  if (allowed?.includes(from) === false) throw new Error(`email from ${from} not allowed`);
}

function checkDestination(
  { destinationAddress: only, allowedDestinationAddresses: allowed }: EmailRules,
  to: string,
): void {
  const isAllowed = (only === undefined || to === only) && allowed?.includes(to) !== false;
  if (!isAllowed) throw new Error(`email to ${to} not allowed`);
}

/** Creates an id as the platform does: 36 letters and digits at the sender's domain. */
function createMessageId(from: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const bytes = crypto.getRandomValues(new Uint8Array(36));
  const text = Array.from(bytes, (byte) => letters[byte % letters.length]).join("");
  return `<${text}@${from.slice(from.lastIndexOf("@") + 1)}>`;
}
