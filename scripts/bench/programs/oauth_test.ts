import assert from "node:assert/strict";
import { SECRET } from "./better_auth.ts";
import { importSecret } from "./by_hand_sign_in.ts";
import { answer, contenders, type Legs, oauthJob } from "./oauth.ts";
import { createHandOAuth, nodePrimitives } from "./oauth_by_hand.ts";
import { contenders as withDatabase } from "./oauth_database.ts";
import type { Contenders, Setting } from "../contender.ts";

const SETTING = { peers: {}, bindings: {} } as unknown as Setting;

async function hand(fetch = answer): Promise<Legs> {
  const primitives = nodePrimitives(SECRET);
  const application = createHandOAuth({ fetch, primitives, signing: await importSecret() });
  return { ...application, paths: ["/signin", "/callback"], session: "session=" };
}

const BOTH: Record<string, Contenders> = { "in a cookie": contenders, "in a row": withDatabase };
for (const [where, all] of Object.entries(BOTH)) {
  for (const name of Object.keys(all).filter((name) => /with every check|the library/.test(name))) {
    Deno.test(`a sign-in at a provider ${where}, ${name}: refuses what is wrong, and signs in`, async () => {
      const job = await all[name]!(SETTING);
      await Promise.all([job(), job(), job()]);
    });
  }
}

Deno.test("oauthJob() times nobody who takes another provider's answer", async () => {
  const legs = await hand();
  const lax: Legs = {
    ...legs,
    callback: ({ url, headers }) =>
      legs.callback(
        new Request(url.replace("elsewhere.example", "github.com%2Flogin%2Foauth"), { headers }),
      ),
  };
  await assert.rejects(oauthJob("it", lax), /"it" takes the answer of another provider/);
});

Deno.test("the sign-in by hand follows no redirect and reads no endless answer of the provider", async () => {
  const redirected = () => Promise.resolve(new Response(null, { status: 302 }));
  await assert.rejects(oauthJob("it", await hand(redirected)), /status 502/);
  const endless = () =>
    Promise.resolve(
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)),
        }),
        { headers: { "content-type": "application/json" } },
      ),
    );
  await assert.rejects(oauthJob("it", await hand(endless)), /status 502/);
});
