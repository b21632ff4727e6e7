import {
  type Auth,
  createAuth,
  createMemoryStorage,
  credentials,
  readSession,
} from "@framework/auth";
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { launchBrowser } from "../support/browser.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

function applicationAt(origin: string): Auth<unknown> {
  return createAuth({
    baseUrl: origin,
    database: createMemoryStorage(),
    providers: [credentials({
      credentials: { name: { label: "Name", type: "text", required: true } },
      authorize: ({ name }) => Promise.resolve(name ? { id: name } : null),
    })],
  });
}

/** Tells whoever opens a WebSocket their name; `guarded` refuses other sites' pages. */
async function greet(auth: Auth<unknown>, request: Request, guarded: boolean): Promise<Response> {
  try {
    if (guarded) auth.assertSameOrigin(request, {});
  } catch {
    return new Response(null, { status: 403 });
  }
  const session = await readSession(auth, request, {});
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.onopen = () => socket.send(session?.user.id ?? "nobody");
  return response;
}

/** Message that a page receives on a WebSocket: a name, or "refused". */
function heard(page: Page, url: string): Promise<unknown> {
  return page.evaluate(`new Promise((resolve) => {
    const socket = new WebSocket(${JSON.stringify(url)});
    socket.onmessage = ({ data }) => { resolve(data); socket.close(); };
    socket.onerror = () => resolve("refused");
  })`);
}

// Tracks: R071
Deno.test(
  "a WebSocket answers pages of its own site, and none of a sibling, whose browser sends the cookie",
  OPTIONS,
  async () => {
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const { pathname } = new URL(request.url);
        if (pathname === "/guarded" || pathname === "/open") {
          return await greet(auth, request, pathname === "/guarded");
        }
        return await auth.handle(request, {}) ?? new Response("A page");
      },
    );
    const { port } = server.addr;
    const own = `app.localhost:${port}`;
    const auth = applicationAt(`http://${own}`);
    const browser = await launchBrowser();
    try {
      const page = await (await browser.newContext()).newPage();
      await page.goto(`http://${own}/`);
      await page.evaluate(`fetch("/auth/signin/credentials", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "ada" }),
    })`);
      assert.equal(await heard(page, `ws://${own}/guarded`), "ada");

      await page.goto(`http://sibling.app.localhost:${port}/`);
      assert.equal(
        await heard(page, `ws://${own}/open`),
        "ada",
        "the attack that is refused below",
      );
      assert.equal(await heard(page, `ws://${own}/guarded`), "refused");
      await page.goto(`http://evil.localhost:${port}/`);
      assert.equal(await heard(page, `ws://${own}/guarded`), "refused");
    } finally {
      await browser.close();
      await server.shutdown();
    }
  },
);
