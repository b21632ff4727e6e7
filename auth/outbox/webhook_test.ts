import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { ConfigurationError } from "../errors.ts";
import { DeliveryError } from "./errors.ts";
import { webhook, type WebhookOptions } from "./webhook.ts";
import { createWebhookSecret } from "./webhook_signature.ts";

const URL_OF_RECEIVER = "https://hooks.example/in/path-is-secret?key=query-is-secret";
const NOW = 1_790_000_000_500;
const EVENT = { id: "evt_1", type: "sign-up", at: NOW - 60_000, data: { userId: "ada" } };

function circumstances(fields: { attempt?: number; signal?: AbortSignal; now?: number } = {}) {
  return { attempt: 1, signal: new AbortController().signal, now: NOW, ...fields };
}

/** Signature as the specification has it, by another implementation of HMAC. */
function signatureOf(secret: string, text: string): string {
  const key = new Uint8Array(Buffer.from(secret.replace("whsec_", ""), "base64"));
  return `v1,${createHmac("sha256", key).update(text).digest("base64")}`;
}

/** Delivers to a receiver that answers so, and gives the error. */
async function failure(
  answer: (init: RequestInit) => Response | Promise<Response>,
  options: Partial<WebhookOptions> = {},
  fields?: Parameters<typeof circumstances>[0],
): Promise<DeliveryError> {
  const destination = webhook({
    url: URL_OF_RECEIVER,
    secret: createWebhookSecret(),
    fetch: (_, init) => Promise.resolve().then(() => answer(init!)),
    ...options,
  });
  const error = await destination.deliver(EVENT, circumstances(fields)).then(
    () => assert.fail("It was delivered"),
    (error) => error,
  );
  assert.ok(error instanceof DeliveryError, String(error));
  return error;
}

Deno.test("webhook() posts the same body and id at each try, with its time, and a signature for each secret", async () => {
  const [secret, previousSecret] = [createWebhookSecret(), createWebhookSecret()];
  const requests: Request[] = [];
  const destination = webhook({
    url: URL_OF_RECEIVER,
    secret,
    previousSecret,
    fetch(url, init) {
      assert.equal(init?.redirect, "manual");
      requests.push(new Request(url, init));
      return Promise.resolve(new Response("thanks", { status: 202 }));
    },
  });
  await destination.deliver(EVENT, circumstances());
  await destination.deliver(EVENT, circumstances({ attempt: 2, now: NOW + 5000 }));

  const body = '{"type":"sign-up","timestamp":"2026-09-21T14:12:20.500Z","data":{"userId":"ada"}}';
  for (const [index, timestamp] of ["1790000000", "1790000005"].entries()) {
    const request = requests[index]!;
    assert.deepEqual([request.method, request.url], ["POST", URL_OF_RECEIVER]);
    assert.equal(request.headers.get("content-type"), "application/json");
    assert.equal(request.headers.get("webhook-id"), "evt_1");
    assert.equal(request.headers.get("webhook-timestamp"), timestamp);
    const signed = `evt_1.${timestamp}.${body}`;
    assert.equal(
      request.headers.get("webhook-signature"),
      [secret, previousSecret].map((one) => signatureOf(one, signed)).join(" "),
    );
    assert.equal(await request.text(), body);
  }
});

Deno.test("2xx alone is a success, 410 alone is final, and no redirect is followed", async () => {
  for (const status of [200, 201, 202, 204, 299]) {
    await webhook({
      url: URL_OF_RECEIVER,
      secret: createWebhookSecret(),
      fetch: () => Promise.resolve(new Response(null, { status })),
    }).deliver(EVENT, circumstances());
  }
  for (const status of [300, 301, 302, 304, 307, 308, 400, 401, 404, 410, 429, 500, 503, 599]) {
    let calls = 0;
    const error = await failure(() => {
      calls++;
      return new Response(null, { status, headers: { location: "https://10.0.0.1/" } });
    });
    assert.equal(calls, 1);
    assert.deepEqual(
      [error.code, error.status, error.receivedStatus, error.final],
      [status === 410 ? "DELIVERY_GONE" : "DELIVERY_REFUSED", 502, status, status === 410],
    );
    assert.equal(error.message, `hooks.example answered with status ${status}`);
  }
});

Deno.test("Retry-After counts in seconds and as a date, for a day at most, and nothing else does", async () => {
  const day = 86_400_000;
  const cases: [value: string, wanted: number | undefined][] = [
    ["120", NOW + 120_000],
    ["86400", NOW + day],
    ["86401", NOW + day],
    ["9999999999", NOW + day],
    [new Date(NOW + 90_500).toUTCString(), NOW + 90_500],
    [new Date(NOW + 9 * day).toUTCString(), NOW + day],
    [new Date(NOW - 60_000).toUTCString(), undefined],
    ["0", undefined],
    ["-5", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["1.5", undefined],
    ["99999999999", undefined],
    ["2026-12-01", undefined],
    ["soon", undefined],
    ["Mon, 99 Xxx 2026 99:99:99 GMT", undefined],
  ];
  for (const [value, wanted] of cases) {
    const headers = { "retry-after": value };
    const { retryAt } = await failure(() => new Response(null, { status: 503, headers }));
    assert.equal(retryAt, wanted, value);
  }
});

Deno.test("an error has nothing of the answer, of the address's path, of a secret or of the platform's error", async () => {
  const secret = createWebhookSecret();
  const previousSecret = createWebhookSecret();
  const raw = Object.assign(new Error(`body-is-secret ${secret}`), {
    code: "HPE_INVALID_CONSTANT",
    rawPacket: "body-is-secret",
  });
  const errors = [
    await failure(
      () =>
        new Response("body-is-secret", {
          status: 500,
          statusText: "body-is-secret",
          headers: { "retry-after": "body-is-secret", "x-a": "body-is-secret" },
        }),
      { secret, previousSecret },
    ),
    await failure(() => Promise.reject(raw), { secret, previousSecret }),
    await failure(() =>
      Promise.reject(new TypeError(`fetch failed: ${URL_OF_RECEIVER}`, { cause: raw }))
    ),
    await failure(() => Promise.reject("body-is-secret")),
    await failure(() => Promise.reject({ code: "body-is-secret" })),
    await failure(() => {
      const circle: Error = new Error("body-is-secret", { cause: new Error("body-is-secret") });
      (circle.cause as Error).cause = circle;
      return Promise.reject(circle);
    }),
  ];
  for (const error of errors) {
    const all = [
      error.message,
      error.stack,
      String(error.cause),
      JSON.stringify(error),
      JSON.stringify(Object.getOwnPropertyDescriptors(error)),
    ].join("\n");
    for (const hidden of ["is-secret", secret.slice(6), previousSecret.slice(6)]) {
      assert.ok(!all.includes(hidden), all);
    }
  }
  assert.deepEqual(errors.map(({ message }) => message), [
    "hooks.example answered with status 500",
    "Cannot reach hooks.example: HPE_INVALID_CONSTANT",
    "Cannot reach hooks.example: HPE_INVALID_CONSTANT",
    "Cannot reach hooks.example",
    "Cannot reach hooks.example",
    "Cannot reach hooks.example",
  ]);
});

Deno.test("a try ends with its signal, also where the request does not listen to it", async () => {
  for (const listens of [true, false]) {
    const controller = new AbortController();
    const sent = Promise.withResolvers<void>();
    const failing = failure(
      ({ signal }) =>
        new Promise((_, reject) => {
          if (listens) signal!.addEventListener("abort", () => reject(signal!.reason));
          sent.resolve();
        }),
      {},
      { signal: controller.signal },
    );
    await sent.promise;
    controller.abort();
    const error = await failing;
    assert.deepEqual([error.code, error.status], ["DELIVERY_TIMEOUT", 504]);
  }
  const early = await failure(() => new Promise(() => {}), {}, { signal: AbortSignal.abort() });
  assert.equal(early.code, "DELIVERY_TIMEOUT");
});

Deno.test("an answer without end is read for 64 KiB, and its status counts all the same", async () => {
  for (const status of [200, 500]) {
    let [sent, isCancelled] = [0, false];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1024;
        controller.enqueue(new Uint8Array(1024));
      },
      cancel: () => void (isCancelled = true),
    });
    const delivering = webhook({
      url: URL_OF_RECEIVER,
      secret: createWebhookSecret(),
      fetch: () => Promise.resolve(new Response(body, { status })),
    }).deliver(EVENT, circumstances());
    if (status === 200) await delivering;
    else await assert.rejects(delivering, { code: "DELIVERY_REFUSED", receivedStatus: 500 });
    assert.equal(isCancelled, true);
    assert.ok(sent <= 65_536 + 2 * 1024, `${sent} bytes`);
  }
});

Deno.test("wrong options are refused by name, and the message has neither address nor secret", () => {
  const right = { url: URL_OF_RECEIVER, secret: createWebhookSecret() };
  const short = `whsec_${btoa("x".repeat(23))}`;
  const cases: [field: string, options: Record<string, unknown>][] = [
    ["url", { url: "http://hooks.example/is-secret" }],
    ["url", { url: "https://user:is-secret@hooks.example/" }],
    ["url", { url: "https://hooks.example:8443/is-secret" }],
    ["url", { url: "https://hooks.example/is-secret#a" }],
    ["url", { url: undefined }],
    ["secret", { secret: undefined }],
    ["secret", { secret: "is-secret" }],
    ["secret", { secret: right.secret.slice(6) }],
    ["secret", { secret: short }],
    ["secret", { secret: `whsec_${btoa("x".repeat(65))}` }],
    ["secret", { secret: `${right.secret}=` }],
    ["secret", { secret: `${right.secret}\n` }],
    ["secret", { secret: "whsec_" }],
    // Another prefix of that length, as of another library.
    ["secret", { secret: `secret${btoa("x".repeat(32))}` }],
    ["secret", { secret: btoa("x".repeat(36)) }],
    ["previousSecret", { previousSecret: "" }],
    ["previousSecret", { previousSecret: short }],
    ["events", { events: "sign-up" }],
    ["events[1]", { events: ["sign-up", ""] }],
    ["id", { id: "" }],
    ["fetch", { fetch: "fetch" }],
    ["event", { event: ["sign-up"] }],
  ];
  for (const [field, options] of cases) {
    assert.throws(
      () => webhook({ ...right, ...options } as WebhookOptions),
      (error) => {
        assert.ok(error instanceof ConfigurationError);
        assert.equal(error.field, field, error.message);
        assert.doesNotMatch(error.message, /is-secret/);
        assert.ok(!error.message.includes(short.slice(6, 20)), error.message);
        return true;
      },
    );
  }
  for (const bytes of [24, 25, 26, 32, 64]) {
    webhook({ ...right, secret: `whsec_${btoa("x".repeat(bytes))}` });
  }
});

Deno.test("of a variable that is not set the message says that nothing was found", () => {
  const missing = undefined as unknown as string;
  const right = { url: URL_OF_RECEIVER, secret: createWebhookSecret() };
  assert.throws(() => webhook({ ...right, url: missing }), /"url": found nothing; write/);
  assert.throws(() => webhook({ ...right, secret: missing }), /"secret": found nothing; write/);
  assert.throws(() => webhook({ ...right, url: "http://crm" }), /"url": write/);
});

Deno.test("a destination has the name of its host unless it is given one, and its types of events", () => {
  const right = { url: URL_OF_RECEIVER, secret: createWebhookSecret() };
  const { id, events } = webhook(right);
  assert.deepEqual([id, events], ["webhook:hooks.example", undefined]);
  const named = webhook({ ...right, id: "crm", events: ["sign-up"] });
  assert.deepEqual([named.id, named.events], ["crm", ["sign-up"]]);
});

Deno.test("without an option, the platform's fetch of the moment makes the request", async () => {
  const destination = webhook({ url: URL_OF_RECEIVER, secret: createWebhookSecret() });
  const own = globalThis.fetch;
  const asked: unknown[] = [];
  globalThis.fetch = (input) => {
    asked.push(input);
    return Promise.resolve(new Response(null, { status: 204 }));
  };
  try {
    await destination.deliver(EVENT, circumstances());
  } finally {
    globalThis.fetch = own;
  }
  assert.deepEqual(asked, [URL_OF_RECEIVER]);
});

Deno.test("an event whose id could divide what is signed in two ways is not sent", async () => {
  const destination = webhook({
    url: URL_OF_RECEIVER,
    secret: createWebhookSecret(),
    fetch: () => assert.fail("It was sent"),
  });
  for (const id of ["", "evt.1", "evt 1", "evt\r\n1", "ü", "a".repeat(256)]) {
    await assert.rejects(destination.deliver({ ...EVENT, id }, circumstances()), {
      code: "CONFIGURATION",
    });
  }
});
