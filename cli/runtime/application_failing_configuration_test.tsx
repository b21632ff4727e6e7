import { defineAuthConfig } from "@framework/auth/convention";
import { getUser, requireAuth } from "@framework/auth";
import { authMiddleware } from "@framework/auth/middleware";
import type { JSX } from "hono/jsx/jsx-runtime";
import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import type { ManifestRoute } from "./manifest.ts";
import type { LoaderArgs } from "./types.ts";

function page(pattern: string, module: Record<string, unknown>, more: object = {}): ManifestRoute {
  return {
    kind: "page",
    pattern,
    file: `app${pattern}/page.tsx`,
    module: { default: (): JSX.Element => <p>shown</p>, ...module },
    layouts: [],
    middleware: [],
    ...more,
  };
}

const guard = { file: "app/m.ts", module: { middleware: authMiddleware() } };

const routes = [
  page("/public", {}),
  page("/acts", { action: () => ({ done: true }) }),
  page("/greets", { default: () => <p>{getUser()?.name ?? "stranger"}</p> }),
  page("/asks", { loader: () => requireAuth() }),
  page("/context", { loader: ({ context }: LoaderArgs) => context.auth.getUser() }),
  page("/optional", { loader: ({ context }: LoaderArgs) => context.auth.requireAuth() }),
  page("/guarded", {}, { middleware: [guard] }),
  page("/signin", {}),
];

Deno.test("createApplication() renders pages that ask for nobody although the authentication cannot be set up, and no others", async () => {
  // Tracks: SP-W1
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  for (
    const config of [
      defineAuthConfig({ session: { strategy: "jwt" } }),
      defineAuthConfig((env: { A?: { b: string } }) => ({ basePath: env.A!.b })),
    ]
  ) {
    const told: unknown[] = [];
    const { worker } = createApplication(
      { database: "DB", dev: false, auth: { config, providers: {} }, routes },
      { logger: silent, onError: (error) => told.push(error) },
    );
    const status = async (path: string, init?: RequestInit): Promise<number> =>
      (await worker.fetch(new Request(`http://localhost${path}`, init), {})).status;
    const shown = await worker.fetch(new Request("http://localhost/public"), {});
    assert.equal(shown.status, 200);
    assert.match(await shown.text(), /<p>shown<\/p>/);
    assert.equal(told.length, 1, "whoever runs it hears of it with every request");
    for (const path of ["/greets", "/asks", "/context", "/optional", "/guarded", "/auth/session"]) {
      assert.equal(await status(path), 500, path);
    }
    const form = { method: "POST", body: "", headers: { origin: "http://localhost" } };
    assert.equal(await status("/acts", form), 500);
  }
});
