// Two isolates over one D1, whose requests come at the same moment.
import { authSchema } from "@framework/auth/storage";
import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { TestApplication } from "../../auth/tests/application.ts";
import { createDevice, type Device } from "../../auth/tests/device.ts";
import { type BundledFile, bundleEntries } from "../support/bundle.ts";
import { disposeMiniflare } from "../support/dispose_miniflare.ts";

const ORIGIN = "https://app.example";
const LONG = "framework.session-token";
const ISOLATES = ["one", "two"] as const;

interface Fetcher {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** Isolates in turn, so that what is sent at once goes to both. */
function sendTo(miniflare: Miniflare): TestApplication["send"] {
  let turn = 0;
  return async (path, { method = "GET", fields, cookie = "", headers = {} } = {}) => {
    // Miniflare itself takes no other origin than its own.
    const { origin: _origin, ...others } = headers;
    const worker = await miniflare.getWorker(ISOLATES[turn++ % 2]!) as unknown as Fetcher;
    return await worker.fetch(`${ORIGIN}${path === "/" ? path : `/auth${path}`}`, {
      method: fields === undefined ? method : "POST",
      redirect: "manual",
      headers: {
        cookie,
        "sec-fetch-site": "same-origin",
        ...others,
        ...(fields && { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(fields && { body: new URLSearchParams(fields).toString() }),
    });
  };
}

for (const strategy of ["database", "jwt"]) {
  // Tracks: R181
  Deno.test({
    name:
      `two isolates agree on registrations, refreshes and wrong proofs at one moment (${strategy})`,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const entry = fileURLToPath(new URL("isolate.ts", import.meta.url));
      const [{ text }] = await bundleEntries([entry]) as [BundledFile];
      const miniflare = new Miniflare({
        workers: ISOLATES.map((name) => ({
          name,
          modules: [{ type: "ESModule" as const, path: "worker.js", contents: text }],
          compatibilityDate: "2026-07-01",
          compatibilityFlags: ["nodejs_compat"],
          d1Databases: { DB: "auth" },
          bindings: { AUTH_SECRET: "s".repeat(32), STRATEGY: strategy },
        })),
      });
      try {
        const database = await miniflare.getD1Database("DB", "one");
        const tables = authSchema.up.split(/;\n/).filter((sql) => sql.trim() !== "");
        await database.batch(tables.map((sql) => database.prepare(sql)));
        const send = sendTo(miniflare);
        const ada = await createDevice({ send });
        const seen = async ({ cookie }: Device) =>
          await (await send("/", { cookie: cookie() })).text();

        // Eight devices with the cookie and the challenge of one sign-in: one of them has the session.
        const signedIn = await ada.signIn();
        assert.equal(signedIn.status, 303, await signedIn.text());
        assert.ok(ada.offered !== null);
        const devices = await Promise.all(Array.from({ length: 8 }, () => createDevice({ send })));
        const bound = await Promise.all(devices.map(async (device) => {
          device.jar.set(LONG, ada.jar.get(LONG)!);
          const { status } = await device.ask("start", await device.prove(ada.offered!));
          return status;
        }));
        assert.deepEqual(bound.toSorted(), [200, ...Array<number>(7).fill(400)]);
        const owner = devices[bound.indexOf(200)]!;
        assert.equal(await seen(owner), "ada true");

        // One proof at both: it counts once. Then proofs of several challenges, which overlap.
        await ada.signIn();
        assert.equal((await ada.register()).status, 200);
        const proof = await ada.prove(await ada.challenge());
        const once = await Promise.all(Array.from({ length: 6 }, () => ada.ask("refresh", proof)));
        assert.equal(once.filter(({ status }) => status === 200).length, 1);
        assert.ok(once.every(({ status }) => status === 200 || status === 403));
        for (let round = 0; round < 4; round++) {
          assert.equal((await ada.refresh()).status, 200);
          assert.deepEqual([await seen(ada), await seen(ada)], ["ada true", "ada true"]);
        }

        // Many wrong proofs at once end it at both.
        const cookies = ada.cookie();
        const [thief] = devices as [Device];
        const wrong = await Promise.all(
          Array.from({ length: 6 }, async () => {
            const challenge = await ada.challenge();
            return (await ada.ask("refresh", await thief.prove(challenge))).status;
          }).map((one) => one.catch(() => 400)),
        );
        assert.ok(wrong.every((status) => status === 400), wrong.join());
        for (let round = 0; round < 2; round++) {
          assert.equal(await (await send("/", { cookie: cookies })).text(), "undefined undefined");
        }
        assert.equal((await ada.refresh()).status, 400);
      } finally {
        await disposeMiniflare(miniflare);
      }
    },
  });
}
