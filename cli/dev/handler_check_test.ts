import assert from "node:assert/strict";
import { refusesHandler } from "./handler_check.ts";

const url = "/cdn-cgi/handler/scheduled?cron=*";
const host = "localhost:8787";

// Tracks: R157
Deno.test("refusesHandler() refuses what another site's page sends", () => {
  for (
    const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { referer: "http://localhost:3000/" },
    ]
  ) {
    assert.equal(refusesHandler({ url, headers: { host, ...headers } }), true);
    assert.equal(
      refusesHandler({ url: "/cdn-cgi%2Fhandler/x", headers: { host, ...headers } }),
      true,
    );
  }
});

Deno.test("refusesHandler() lets tools, typed addresses and the application's own pages through", () => {
  for (
    const headers of [
      {},
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "same-origin", origin: `http://${host}` },
      { referer: `http://${host}/` },
    ]
  ) {
    assert.equal(refusesHandler({ url, headers: { host, ...headers } }), false);
  }
  assert.equal(
    refusesHandler({ url: "/page", headers: { host, "sec-fetch-site": "cross-site" } }),
    false,
  );
});
