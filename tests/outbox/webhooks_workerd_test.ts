import { Miniflare, Response as MiniflareResponse } from "miniflare";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { bundleEntries } from "../support/bundle.ts";

async function textOf(minify: boolean): Promise<string> {
  const entry = fileURLToPath(new URL("./webhooks_worker.ts", import.meta.url));
  const [file] = await bundleEntries([entry], { minify });
  return file!.text;
}

Deno.test({
  name:
    "a worker sends, receives and refuses webhooks without any built-in module of Node's network",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const production = await textOf(true);
    assert.deepEqual(
      [...production.matchAll(/(?:from|import\()\s*"(node:[^"]+)"/g)].map(([, name]) => name),
      [
        "node:async_hooks",
      ],
    );
    const asked: string[] = [];
    const optionsOf = (contents: string) => ({
      modules: [{ type: "ESModule" as const, path: "worker.mjs", contents }],
      modulesRoot: "/",
      compatibilityDate: "2026-07-01",
      compatibilityFlags: ["nodejs_als"],
      outboundService(request: { method: string; url: string }) {
        asked.push(`${request.method} ${request.url}`);
        return new MiniflareResponse(null, {
          status: 307,
          headers: { location: "https://10.0.0.1/" },
        });
      },
    });
    const miniflare = new Miniflare(optionsOf(production));
    try {
      const ask = async () => await (await miniflare.dispatchFetch("https://app.example/")).json();
      const answer = {
        received: [
          { id: "evt_1", type: "sign-up", at: 1_790_000_000_000, data: { userId: "ada" } },
        ],
        codes: ["DELIVERY_ADDRESS", "DELIVERY_ADDRESS", "DELIVERY_ADDRESS"],
        status: 307,
        error: "DELIVERY_REFUSED",
      };
      assert.deepEqual(await ask(), { ...answer, loopback: false });
      const url = "POST https://hooks.customer.example/in";
      assert.deepEqual(asked, [url, url]);
      // As in a build for development, whose bundler writes the value of NODE_ENV.
      await miniflare.setOptions(optionsOf(await textOf(false)));
      assert.deepEqual(await ask(), { ...answer, loopback: true });
    } finally {
      await miniflare.dispose();
    }
  },
});
