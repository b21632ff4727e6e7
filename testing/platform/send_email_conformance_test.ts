// One list of cases, run against the double and inside workerd, so that the two cannot drift apart.
import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";
import { EmailMessage } from "../cloudflare_email.ts";
import { createIncomingEmail } from "./incoming_email.ts";
import { createEmailSender } from "./send_email.ts";
import { CASES, HANDLERS, INCOMING, incoming } from "./fixtures/emails.ts";
import { encodeOutcome } from "./fixtures/encode_outcome.ts";
import { bundleCases, compareWithWorkerd } from "./fixtures/in_workerd.ts";

const RULES = {
  MAILER: {},
  ONLY: { destinationAddress: "only@other.example" },
  SOME: { allowedDestinationAddresses: ["a@other.example", "b@other.example"] },
  FROM: { allowedSenderAddresses: ["ada@app.example"] },
};

Deno.test({
  name: "createEmailSender() answers every case as the binding of workerd does",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const env = Object.fromEntries(
      Object.entries(RULES).map(([name, rules]) => [
        name,
        createEmailSender({ now: Date.now, rules }),
      ]),
    );
    await compareWithWorkerd(t, {
      file: "emails.ts",
      cases: CASES,
      double: (name) => encodeOutcome(() => CASES[name]!(env)),
      entry: "const HANDLERS = {};",
      workerd: {
        email: {
          "send_email": [
            { name: "MAILER" },
            { name: "ONLY", "destination_address": "only@other.example" },
            {
              name: "SOME",
              "allowed_destination_addresses": ["a@other.example", "b@other.example"],
            },
            { name: "FROM", "allowed_sender_addresses": ["ada@app.example"] },
          ],
        },
      },
    });
  },
});

const EVENTS = [
  ...Object.keys(HANDLERS).map((subject) => [subject, incoming(subject)] as const),
  ...Object.entries(INCOMING).map(([name, headers]) =>
    [`reply to a mail ${name}`, incoming("reply", headers)] as const
  ),
];

/** Outcome of the handler on the double, in the shape of the emulator's report. */
async function onDouble(raw: string): Promise<unknown> {
  const envelope = { from: "eve@other.example", to: "in@app.example", raw };
  const { message, result } = await createIncomingEmail(envelope);
  let outcome = "ok";
  try {
    await HANDLERS[message.headers.get("subject")!]!(message);
  } catch {
    outcome = "exception";
  }
  return {
    outcome,
    rejectReason: result.rejected ?? null,
    forwards: result.forwards.map(({ to, headers }) => [to, headers]),
    replies: result.replies.map(({ from, raw }) => [from, raw]),
  };
}

Deno.test({
  name: "createIncomingEmail() answers every handler as the message of workerd does",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const contents = bundleCases(
      "emails.ts",
      `import { HANDLERS as BY_SUBJECT } from "./emails.ts";
       const HANDLERS = {
         email: async (message) => await BY_SUBJECT[message.headers.get("subject")](message),
       };`,
    );
    const miniflare = new Miniflare({
      modules: [{ type: "ESModule", path: "index.mjs", contents }],
      compatibilityDate: "2026-07-30",
      unsafeTriggerHandlers: true,
      handleStructuredLogs: () => {},
    });
    try {
      for (const [name, raw] of EVENTS) {
        await t.step(name, async () => {
          const query = "from=eve@other.example&to=in@app.example&format=json";
          const url = `http://localhost/cdn-cgi/handler/email?${query}`;
          const response = await miniflare.dispatchFetch(url, { method: "POST", body: raw });
          const text = await response.text();
          assert.match(text, /^\{/, `workerd answers ${response.status}: ${text}`);
          const { outcome, rejectReason, forwards, replies } = JSON.parse(text) as {
            outcome: string;
            rejectReason?: string;
            forwards: { recipient: string; headers: [string, string][] }[];
            replies: { sender: string; raw: string }[];
          };
          assert.deepEqual(await onDouble(raw), {
            outcome,
            rejectReason: rejectReason ?? null,
            forwards: forwards.map(({ recipient, headers }) => [recipient, headers]),
            replies: replies.map(({ sender, raw }) => [sender, raw]),
          });
        });
      }
    } finally {
      await disposeMiniflare(miniflare);
    }
  },
});

Deno.test("createEmailSender() stores what was sent, in MIME form and as an object", async () => {
  const received: string[] = [];
  const mailer = createEmailSender({
    now: () => 5_000,
    emailed: ({ subject }) => received.push(subject),
  });
  const raw = [
    "From: Ada <ada@app.example>",
    "To: eve@other.example",
    "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=",
    "Message-ID: <1@app.example>",
    "Content-Type: text/html; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    "",
    btoa("<p>Hello</p>"),
  ].join("\r\n");
  await mailer.send(new EmailMessage("ada@app.example", "eve@other.example", raw));
  await mailer.send({
    from: "Ada <ada@app.example>",
    to: ["eve@other.example"],
    replyTo: "help@app.example",
    subject: "Hello",
    text: "Text",
    headers: { "X-A": "b" },
  });
  const [first, second] = mailer.take();
  assert.deepEqual([first?.subject, first?.html.trim(), first?.raw], [
    "Grüße",
    "<p>Hello</p>",
    raw,
  ]);
  assert.equal(first?.sent.getTime(), 5_000);
  assert.deepEqual([second?.from, second?.to, second?.text, second?.headers], [
    "ada@app.example",
    ["eve@other.example"],
    "Text",
    { "x-a": "b", "reply-to": "help@app.example" },
  ]);
  assert.deepEqual(received, ["Grüße", "Hello"]);
  assert.deepEqual(mailer.take(), []);
});
