import assert from "node:assert/strict";
import { refusesHandler } from "./host_check.ts";

const url = "/cdn-cgi/handler/scheduled?cron=*";
const host = "localhost:8787";

const SPELLINGS = [
  url,
  "/cdn-cgi%2Fhandler/x",
  "/x/../cdn-cgi/handler/scheduled",
  "/x/y/../../cdn-cgi/handler/scheduled?cron=*",
  "/x/%2e%2e/cdn-cgi/handler/scheduled",
  "/x/.%2E/./cdn-cgi/handler/scheduled",
  "/x/..%2fcdn-cgi/handler/scheduled",
  "/x\\..\\cdn-cgi\\handler\\scheduled",
  "//cdn-cgi/handler/scheduled",
  "/CDN-CGI/mf/scheduled",
  "/../cdn-cgi/handler/scheduled",
];

// Tracks: R157, A-17
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
    for (const spelling of SPELLINGS) {
      assert.equal(
        refusesHandler({ url: spelling, headers: { host, ...headers } }),
        true,
        spelling,
      );
    }
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
  const foreign = { host, "sec-fetch-site": "cross-site" };
  for (const other of ["/page", "/cdn-cgi", "/cdn-cgi/../page", "/%", "/page?a=/cdn-cgi/x"]) {
    assert.equal(refusesHandler({ url: other, headers: foreign }), false, other);
  }
});
