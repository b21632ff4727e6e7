import { createWebhookSecret, verifyWebhook, webhook } from "@framework/auth/webhooks";
import assert from "node:assert/strict";
import { Webhook as StandardWebhook, WebhookVerificationError } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";

const EVENT = {
  id: "evt_3f2",
  type: "sign-up",
  at: 1_790_000_000_123,
  data: { userId: "ada", name: "Ädä \u{1F511} \u2028", nested: [{ a: null }] },
};
const PEERS = { standardwebhooks: StandardWebhook, svix: SvixWebhook };

/** The request that is sent for the event. */
async function requestOf(secrets: { secret: string; previousSecret?: string }): Promise<Request> {
  let sent: Request | undefined;
  const destination = webhook({
    url: "https://hooks.example/in",
    ...secrets,
    fetch(url, init) {
      sent = new Request(url, init);
      return Promise.resolve(new Response(null, { status: 204 }));
    },
  });
  const { signal } = new AbortController();
  await destination.deliver(EVENT, { attempt: 1, signal, now: Date.now() });
  return sent!;
}

/** A secret of so many bytes. */
function secretOf(length: number): string {
  return `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString("base64")}`;
}

const SECRETS = [createWebhookSecret(), ...[24, 25, 26, 31, 48, 63, 64].map(secretOf)];

for (const [name, Webhook] of Object.entries(PEERS)) {
  Deno.test(`${name} verifies what webhook() sends, with secrets of every length`, async () => {
    for (const secret of SECRETS) {
      const request = await requestOf({ secret });
      const headers = Object.fromEntries(request.headers);
      const body = await request.text();
      // Of Svix the result is nothing: it throws for what it refuses.
      assert.deepEqual(new Webhook(secret).verify(body, headers) ?? JSON.parse(body), {
        type: "sign-up",
        timestamp: new Date(EVENT.at).toISOString(),
        data: EVENT.data,
      });
      assert.throws(() => new Webhook(createWebhookSecret()).verify(body, headers), /signature/);
      assert.throws(() => new Webhook(secret).verify(`${body} `, headers), /signature/);
    }
  });

  Deno.test(`${name} verifies what webhook() sends with either secret while it changes`, async () => {
    const [secret, previousSecret] = [createWebhookSecret(), secretOf(24)];
    const request = await requestOf({ secret, previousSecret });
    const headers = Object.fromEntries(request.headers);
    const body = await request.text();
    for (const one of [secret, previousSecret]) new Webhook(one).verify(body, headers);
  });

  Deno.test(`verifyWebhook() verifies what ${name} signs, and nothing that is changed`, async () => {
    const sentAt = new Date();
    const body = JSON.stringify({
      type: EVENT.type,
      timestamp: new Date(EVENT.at).toISOString(),
      data: EVENT.data,
    });
    for (const secret of SECRETS) {
      const headers = {
        "webhook-id": EVENT.id,
        "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
        "webhook-signature": new Webhook(secret).sign(EVENT.id, sentAt, body),
      };
      assert.deepEqual(await verifyWebhook({ headers, body }, secret), EVENT);
      await assert.rejects(verifyWebhook({ headers, body: `${body} ` }, secret), {
        code: "WEBHOOK_SIGNATURE",
      });
    }
  });
}

Deno.test("the peers and verifyWebhook() refuse the same times", async () => {
  const secret = createWebhookSecret();
  const body = '{"type":"a","timestamp":"2026-09-21T14:13:20Z","data":{}}';
  for (const seconds of [-3600, -400, -200, 0, 200, 400, 3600]) {
    const sentAt = new Date(Date.now() + seconds * 1000);
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "webhook-signature": new StandardWebhook(secret).sign("evt_1", sentAt, body),
    };
    const isRefused = Math.abs(seconds) > 300;
    const verifyTheirs = () => new StandardWebhook(secret).verify(body, headers);
    const ours = verifyWebhook({ headers, body }, secret);
    if (isRefused) {
      assert.throws(verifyTheirs, WebhookVerificationError);
      await assert.rejects(ours, { code: "WEBHOOK_TIMESTAMP" });
    } else {
      verifyTheirs();
      await ours;
    }
  }
});
