import { createTransport } from "nodemailer";
import type { Buffer } from "node:buffer";
import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import type { EmailConfig, EmailParams, SendPasswordMail } from "@framework/auth";

/** One mail as the server got it. */
export interface ReceivedMail {
  /** The recipients of the envelope, as the client wrote them. */
  recipients: string[];
  /** Content of the message. */
  mail: Email;
}

/** A mail server on this machine that delivers nothing, and the application's way to it. */
export interface SmtpPeer {
  /** Received messages, newest last. */
  received: ReceivedMail[];
  /** Answer to a recipient: null accepts, a number refuses, "hang" never answers. */
  answer: number | "hang" | null;
  /** Number of recipients that it was told and never answered. */
  readonly hanging: number;
  /** Sends as an application would: through nodemailer. */
  send: EmailConfig["sendVerificationRequest"];
  /** Sends a mail that the library has written. */
  sendMail: SendPasswordMail;
  close(): Promise<void>;
}

/** The link in the newest mail. */
export function linkIn({ received }: SmtpPeer): URL {
  return new URL(/https?:\/\/\S+/.exec(received.at(-1)!.mail.text!)![0]);
}

function textOf({ url, code }: EmailParams): string {
  return `Sign in: ${url}\r\n${code === undefined ? "" : `Or type this code: ${code}\r\n`}`;
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: BlobPart[] = [];
  for await (const chunk of stream) chunks.push(new Uint8Array(chunk));
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Starts the server. */
export async function startSmtpPeer(): Promise<SmtpPeer> {
  const received: ReceivedMail[] = [];
  let hanging = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 100,
    onRcptTo(_, __, callback) {
      if (peer.answer === "hang") return void hanging++;
      if (peer.answer === null) return callback();
      callback(Object.assign(new Error("Refused"), { responseCode: peer.answer }));
    },
    async onData(stream, session, callback) {
      const mail = await PostalMime.parse(await readAll(stream));
      received.push({ recipients: session.envelope.rcptTo.map(({ address }) => address), mail });
      callback();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  const transport = createTransport({
    host: "127.0.0.1",
    port,
    secure: false,
    ignoreTLS: true,
    pool: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const peer: SmtpPeer = {
    received,
    answer: null,
    get hanging() {
      return hanging;
    },
    async send(params, { from }) {
      const { identifier: to } = params;
      await transport.sendMail({ from, to, subject: "Sign in", text: textOf(params) });
    },
    async sendMail({ to, subject, text, html }) {
      await transport.sendMail({ from: "App <hello@app.example>", to, subject, text, html });
    },
    close() {
      transport.close();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return peer;
}
