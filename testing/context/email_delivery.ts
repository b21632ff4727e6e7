// Also runs inside of workerd, in the bundle that a test asks for: nothing may be imported.

/** An email for `ctx.email()`. */
export interface IncomingEmail {
  /** Sender's address of the envelope. */
  from: string;
  /** Recipient's address of the envelope. */
  to: string;
  /** The message as it was sent: header lines, an empty line, and the body. Without a `Message-ID` it gets one. */
  raw: string | Uint8Array;
}

/** Result of `ctx.email()`. */
export interface EmailDelivery {
  /** Reason of `setReject()`; null when the message was accepted. */
  rejected: string | null;
  /** Calls of `forward()`, in their order. */
  forwarded: { to: string; headers: [string, string][] }[];
  /** Calls of `reply()`, in their order. */
  replies: { from: string; to: string; raw: string }[];
}

/** Message as a handler gets it. */
export interface ForwardableMessage {
  readonly from: string;
  readonly to: string;
  readonly headers: Headers;
  readonly raw: ReadableStream<Uint8Array>;
  readonly rawSize: number;
  readonly canBeForwarded: boolean;
  setReject(reason: string): void;
  forward(to: string, headers?: Headers): Promise<{ messageId: string }>;
  reply(
    message: { from: string; to: string; raw?: unknown },
  ): Promise<{ messageId: string }>;
}

/** Gives a mail the `Message-ID` that the mail server of its sender adds where it is missing (RFC 6409, section 8.3). */
export function completeEmail({ from, to, raw }: IncomingEmail): IncomingEmail {
  const text = typeof raw === "string" ? raw : new TextDecoder().decode(raw);
  if (readHeaders(text).has("message-id")) return { from, to, raw };
  const line = `Message-ID: <${crypto.randomUUID()}@${from.split("@").at(-1)}>\r\n`;
  if (typeof raw === "string") return { from, to, raw: line + raw };
  const bytes = new TextEncoder().encode(line);
  const whole = new Uint8Array(bytes.length + raw.length);
  whole.set(bytes);
  whole.set(raw, bytes.length);
  return { from, to, raw: whole };
}

/** Creates a message, and the record of what its handler does with it. */
export function createMessage(
  { from, to, raw }: IncomingEmail,
): { message: ForwardableMessage; delivery: EmailDelivery } {
  const bytes = typeof raw === "string" ? new TextEncoder().encode(raw) : raw;
  const delivery: EmailDelivery = { rejected: null, forwarded: [], replies: [] };
  const messageId = `<${crypto.randomUUID()}@localhost>`;
  const message: ForwardableMessage = {
    from,
    to,
    headers: readHeaders(new TextDecoder().decode(bytes)),
    raw: new Response(new Uint8Array(bytes)).body!,
    rawSize: bytes.byteLength,
    canBeForwarded: true,
    setReject: (reason) => void (delivery.rejected = String(reason)),
    forward(recipient, headers = new Headers()) {
      delivery.forwarded.push({ to: recipient, headers: [...headers] });
      return Promise.resolve({ messageId });
    },
    async reply(answer) {
      delivery.replies.push({
        from: answer.from,
        to: answer.to,
        raw: await textOf(answer.raw ?? Reflect.get(answer, "EmailMessage::raw")),
      });
      return { messageId };
    },
  };
  return { message, delivery };
}

async function textOf(raw: unknown): Promise<string> {
  return raw instanceof ReadableStream ? await new Response(raw).text() : String(raw ?? "");
}

/** Reads header lines, of which long ones are folded. */
function readHeaders(text: string): Headers {
  const headers = new Headers();
  const [head = ""] = text.split(/\r?\n\r?\n/, 1);
  for (const line of head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return headers;
}
