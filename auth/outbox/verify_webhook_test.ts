import assert from "node:assert/strict";
import { verifyWebhook } from "./verify_webhook.ts";
import { createWebhookSecret, readWebhookSecret, signWebhook } from "./webhook_signature.ts";

const NOW = 1_790_000_000_000;
const SECONDS = String(NOW / 1000);
const SECRET = createWebhookSecret();
const BODY = '{"type":"sign-up","timestamp":"2026-09-21T14:12:20.500Z","data":{"userId":"ädä"}}';
const EVENT = {
  id: "evt_1",
  type: "sign-up",
  at: Date.parse("2026-09-21T14:12:20.500Z"),
  data: { userId: "ädä" },
};
const options = { now: () => NOW };

/** Headers of a webhook, signed with these secrets. */
async function headersOf(
  { id = "evt_1", timestamp = SECONDS, body = BODY, secrets = [SECRET] }: {
    id?: string;
    timestamp?: string;
    body?: string;
    secrets?: string[];
  } = {},
): Promise<Record<string, string>> {
  const keys = secrets.map((secret) => readWebhookSecret(secret, "secret"));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": await signWebhook({ id, timestamp, body }, keys),
  };
}

Deno.test("verifyWebhook() gives the event of a Request, and of headers with a text or bytes", async () => {
  const headers = await headersOf();
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
  const forms = [
    new Request("https://hooks.example/", { method: "POST", headers, body: BODY }),
    { headers, body: BODY },
    { headers: new Headers(headers), body: BODY },
    { headers: upper, body: new TextEncoder().encode(BODY) },
    { headers: { ...headers, "x-a": ["1", "2"], "x-b": undefined }, body: Buffer.from(BODY) },
  ];
  for (const form of forms) assert.deepEqual(await verifyWebhook(form, SECRET, options), EVENT);
});

Deno.test("while secrets change, a sender and a receiver with one in common understand each other", async () => {
  const [next, old, other] = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
  const headers = await headersOf({ secrets: [next, old] });
  for (const secret of [next, old, [next, old], [other, old]]) {
    assert.deepEqual(await verifyWebhook({ headers, body: BODY }, secret, options), EVENT);
  }
  const refused = verifyWebhook({ headers, body: BODY }, [other, SECRET], options);
  await assert.rejects(refused, { code: "WEBHOOK_SIGNATURE", status: 401 });
});

Deno.test("what differs in one character of body, id, time or signature is refused", async () => {
  const headers = await headersOf();
  const signature = headers["webhook-signature"]!;
  const later = String(Number(SECONDS) + 1);
  const cases: [headers: Record<string, string>, body: string][] = [
    [headers, BODY.replace("ädä", "ada")],
    [headers, `${BODY} `],
    [headers, `\ufeff${BODY}`],
    [headers, JSON.stringify(JSON.parse(BODY), null, 2)],
    [{ ...headers, "webhook-id": "evt_2" }, BODY],
    [{ ...headers, "webhook-timestamp": later }, BODY],
    ...[
      signature.slice(0, -1),
      `${signature}=`,
      signature.slice(3),
      signature.replace("v1,", "v1a,"),
      signature.replace("v1,", "v2,"),
      signature.replace("v1,", "v1"),
      signature.replace("v1,", "V1,"),
      signature.replaceAll("+", "-").replaceAll("/", "_").replace("=", ""),
      signature.replace(/^v1,./, (text) => `v1,${text.endsWith("A") ? "B" : "A"}`),
      "v1,",
      "v1",
      ",",
      "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    ].map((one): [Record<string, string>, string] => [
      { ...headers, "webhook-signature": one },
      BODY,
    ]),
  ];
  for (const [changed, body] of cases) {
    await assert.rejects(
      verifyWebhook({ headers: changed, body }, SECRET, options),
      { code: "WEBHOOK_SIGNATURE", status: 401 },
      JSON.stringify([changed, body]),
    );
  }
  const among = {
    ...headers,
    "webhook-signature": `v1a,abc v2,def  v1,x ${signature} v1,y`,
  };
  assert.deepEqual(await verifyWebhook({ headers: among, body: BODY }, SECRET, options), EVENT);
});

Deno.test("a webhook is of now, five minutes before and after, or what the tolerance says", async () => {
  for (
    const [ago, tolerance, isTaken] of [
      [0, undefined, true],
      [300, undefined, true],
      [301, undefined, false],
      [-300, undefined, true],
      [-301, undefined, false],
      [301, 600, true],
      [11, 10, false],
      [1_000_000_000, undefined, false],
    ] as const
  ) {
    const timestamp = String(NOW / 1000 - ago);
    const headers = await headersOf({ timestamp });
    const verifying = verifyWebhook({ headers, body: BODY }, SECRET, { ...options, tolerance });
    if (isTaken) assert.deepEqual(await verifying, EVENT);
    else await assert.rejects(verifying, { code: "WEBHOOK_TIMESTAMP", status: 401 });
  }
  for (
    const timestamp of ["", "now", "-1", "1e9", `${SECONDS}.5`, ` ${SECONDS} `, "9".repeat(13)]
  ) {
    const headers = await headersOf({ timestamp });
    await assert.rejects(verifyWebhook({ headers, body: BODY }, SECRET, options), {
      code: "WEBHOOK_MALFORMED",
      status: 400,
    });
  }
});

Deno.test("a missing or repeated header, an id with a full stop, and a signed body of another form are malformed", async () => {
  const headers = await headersOf();
  const changed = [
    ...Object.keys(headers).map((name) => ({ ...headers, [name]: undefined })),
    ...Object.keys(headers).map((name) => ({ ...headers, [name]: [headers[name]!] })),
    await headersOf({ id: "evt.1" }),
    await headersOf({ id: `evt_1.${SECONDS}` }),
  ];
  for (const headers of changed) {
    await assert.rejects(verifyWebhook({ headers, body: BODY }, SECRET, options), {
      code: "WEBHOOK_MALFORMED",
    });
  }
  for (
    const body of [
      "",
      "null",
      "[]",
      "{",
      "{}",
      BODY.replace("type", "typ"),
      BODY.replace('"2026', '"x2026'),
      BODY.replace(/"data":.*/, '"data":[]}'),
      BODY.replace(/"data":.*/, '"data":null}'),
    ]
  ) {
    const headers = await headersOf({ body });
    await assert.rejects(verifyWebhook({ headers, body }, SECRET, options), {
      code: "WEBHOOK_MALFORMED",
    }, body);
  }
  const bytes = new Uint8Array([0xff, 0xfe]);
  await assert.rejects(verifyWebhook({ headers, body: bytes }, SECRET, options), {
    code: "WEBHOOK_MALFORMED",
  });
});

Deno.test("a body of more than 256 KiB is not read to its end, whatever it says of its length", async () => {
  const headers = await headersOf();
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 4096;
      controller.enqueue(new Uint8Array(4096));
    },
  }, { highWaterMark: 0 });
  const endless = new Request("https://hooks.example/", {
    method: "POST",
    headers,
    body,
    duplex: "half",
  } as RequestInit);
  const forms = [
    endless,
    { headers, body: "x".repeat(262_145) },
    { headers, body: "ü".repeat(262_145) },
    { headers, body: new Uint8Array(262_145) },
  ];
  for (const form of forms) {
    await assert.rejects(verifyWebhook(form, SECRET, options), {
      code: "PAYLOAD_TOO_LARGE",
      status: 413,
    });
  }
  assert.ok(sent < 300_000, `${sent} bytes`);
});

Deno.test("a body that ends early is a bad request, and one of a stale time is not read", async () => {
  const headers = await headersOf();
  const request = (body: ReadableStream<Uint8Array>) =>
    new Request("https://hooks.example/", {
      method: "POST",
      headers,
      body,
      duplex: "half",
    } as RequestInit);
  const broken = new ReadableStream<Uint8Array>({ pull: (it) => it.error(new Error("gone")) });
  await assert.rejects(verifyWebhook(request(broken), SECRET, options), {
    code: "BAD_REQUEST",
    status: 400,
  });
  const unread = request(
    new ReadableStream<Uint8Array>({ pull: () => assert.fail("It was read") }, {
      highWaterMark: 0,
    }),
  );
  const later = { now: () => NOW + 3_600_000 };
  await assert.rejects(verifyWebhook(unread, SECRET, later), { code: "WEBHOOK_TIMESTAMP" });
  assert.equal(unread.bodyUsed, false);
});

Deno.test("wrong secrets and options are said to whoever configures, without the secret", async () => {
  const received = { headers: await headersOf(), body: BODY };
  for (const secret of [[], "is-secret", ["is-secret"], [SECRET, ""], undefined, null, 5]) {
    await assert.rejects(
      verifyWebhook(received, secret as string, options),
      (error: Error) => {
        assert.match(error.message, /"secret"/);
        assert.doesNotMatch(error.message, /is-secret/);
        return true;
      },
    );
  }
  for (const tolerance of [0, -1, NaN, "300"]) {
    const wrong = { tolerance: tolerance as number };
    await assert.rejects(verifyWebhook(received, SECRET, wrong), { code: "CONFIGURATION" });
  }
  const unknown = { tolerence: 5 } as Record<string, number>;
  await assert.rejects(verifyWebhook(received, SECRET, unknown), { code: "CONFIGURATION" });
});
