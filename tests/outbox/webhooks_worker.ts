import {
  createPublicFetch,
  createWebhookSecret,
  verifyWebhook,
  webhook,
} from "@framework/auth/webhooks";

/** Sends an event to itself, and asks addresses that are not public. */
export default {
  async fetch(): Promise<Response> {
    const secret = createWebhookSecret();
    const received: unknown[] = [];
    const destination = webhook({
      url: "https://hooks.customer.example/in",
      secret,
      previousSecret: createWebhookSecret(),
      async fetch(url, init) {
        received.push(await verifyWebhook(new Request(url, init), secret));
        return new Response(null, { status: 204 });
      },
    });
    const now = Date.now();
    const event = { id: "evt_1", type: "sign-up", at: 1_790_000_000_000, data: { userId: "ada" } };
    await destination.deliver(event, { attempt: 1, signal: AbortSignal.timeout(10_000), now });

    const publicFetch = createPublicFetch();
    const codes: unknown[] = [];
    for (
      const url of [
        "https://127.1/",
        "http://hooks.customer.example/",
        "https://metadata.internal/",
      ]
    ) {
      codes.push(
        await publicFetch(url).then(({ status }) => status, ({ code }: { code: string }) => code),
      );
    }
    const redirect = await publicFetch("https://hooks.customer.example/in", { method: "POST" });
    const toAll = webhook({ url: "https://hooks.customer.example/in", secret, fetch: publicFetch });
    const error = await toAll.deliver(event, {
      attempt: 1,
      signal: AbortSignal.timeout(10_000),
      now,
    })
      .catch(({ code }: { code: string }) => code);
    let loopback = true;
    try {
      webhook({ url: "http://localhost:8787/in", secret });
    } catch {
      loopback = false;
    }
    return Response.json({ received, codes, status: redirect.status, error, loopback });
  },
};
