import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import { logError } from "./errors.ts";

/** Collects what is written to the console. */
async function listen(work: () => unknown): Promise<string> {
  const { error, warn, log, info } = console;
  let said = "";
  const write = (...parts: unknown[]): void => void (said += parts.join(" ") + "\n");
  Object.assign(console, { error: write, warn: write, log: write, info: write });
  try {
    await work();
  } finally {
    Object.assign(console, { error, warn, log, info });
  }
  return said;
}

const ADDRESSES = [
  "http://localhost/reset?token=canary-token",
  "http://localhost/reset?token=canary-token&email=ada%40example.com#canary-fragment",
  "http://canary-user:canary-password@localhost/reset?canary",
  "http://localhost/reset?a=1?canary=2",
];

// Tracks: R105, K1, PF-x26
Deno.test("logError() names the path of a request, and nothing else of its address", async () => {
  for (const address of ADDRESSES) {
    // A request takes no address with a password in it.
    const request = { url: address, method: "POST" } as Request;
    const said = await listen(() => logError(new Error("boom"), { request, requestId: "r1" }));
    assert.match(said, /^\[r1\] POST \/reset failed\. Error: boom\n/);
    assert.equal(/canary|example\.com/.test(said), false, said);
  }
});

// Tracks: R105, K1, PF-x26
Deno.test("createApplication() writes no query, cookie, body or header of a request into the log", async () => {
  const fail = (): never => {
    throw new Error("boom", { cause: new Error("why") });
  };
  for (const kind of ["page", "route"] as const) {
    const { worker } = createApplication({
      database: "DB",
      dev: false,
      auth: null,
      routes: [{
        kind,
        pattern: "/reset",
        file: "app/reset/page.tsx",
        module: { default: fail, GET: fail, POST: fail, action: fail },
        layouts: [],
        middleware: [],
      }],
    });
    for (const method of ["GET", "POST"]) {
      const said = await listen(() =>
        worker.fetch(
          new Request("http://localhost/reset?token=canary-token", {
            method,
            headers: {
              "origin": "http://localhost",
              "cookie": "session=canary-cookie",
              "authorization": "Bearer canary-bearer",
              "content-type": "application/x-www-form-urlencoded",
            },
            ...(method === "POST" && { body: "password=canary-password" }),
          }),
          {},
        )
      );
      assert.match(said, /\/reset failed\. Error: boom[^]*Caused by: Error: why/);
      assert.equal(said.includes("canary"), false, said);
    }
  }
});
