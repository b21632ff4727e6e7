// Handlers of MSW, as a project has them, answer what the application asks of other servers.
import { createTestContext } from "@framework/testing";
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inMatrix } from "../support/matrix.ts";
import { linkNpmPackages } from "../support/npm_packages.ts";

const cwd = fileURLToPath(new URL("../../testing/context/fixtures/project/", import.meta.url));

const HANDLERS = `
import { delay, http, HttpResponse, passthrough } from "msw";

export const handlers = [
  http.get("https://rates.example/latest", async ({ request }) => {
    await delay(1);
    return HttpResponse.json({ rate: new URL(request.url).searchParams.get("currency") });
  }),
  http.post("https://rates.example/refresh", () => HttpResponse.error()),
  http.all("https://rates.example/*", () => passthrough()),
];
`;

Deno.test("onFetch() has a call fail that a handler answers with a network error", async () => {
  await using ctx = await createTestContext({ cwd });
  ctx.onFetch([{ run: () => Promise.resolve({ response: Response.error() }) }]);
  const refreshed = await ctx.fetch("/api/rates", { method: "POST" });
  assert.deepEqual(await refreshed.json(), { refreshed: false });
});

if (inMatrix) {
  // MSW opens a channel between tabs when it is loaded.
  const options = { sanitizeOps: false, sanitizeResources: false };
  Deno.test("onFetch() takes the handlers of MSW", options, async () => {
    const modules = await linkNpmPackages({ msw: "3.0.5" });
    const file = join(modules, "..", "handlers.mjs");
    await Deno.writeTextFile(file, HANDLERS);
    const { handlers } = await import(pathToFileURL(file).href);

    await using ctx = await createTestContext({ cwd });
    const route = ctx.onFetch(handlers);
    const response = await ctx.fetch("/api/rates?currency=EUR");
    assert.deepEqual(await response.json(), { currency: "EUR", rate: "EUR" });
    const refreshed = await ctx.fetch("/api/rates", { method: "POST" });
    assert.deepEqual(await refreshed.json(), { refreshed: false });
    assert.equal(route.requests.length, 2);
  });
}
