import assert from "node:assert/strict";
import { createMemoryStorage } from "../storage/memory.ts";
import { createAuth } from "../app/create_auth.ts";
import { CrossSiteRequestError } from "../errors.ts";
import { assertSameOrigin } from "./origin.ts";

const OWN = "https://app.example";
const OPTIONS = { ownOrigin: OWN, trustedOrigins: ["https://admin.example"] };

function passes(headers: Record<string, string>, method = "POST"): boolean {
  const request = new Request(`${OWN}/x`, { method });
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  try {
    assertSameOrigin(request, OPTIONS);
    return true;
  } catch (error) {
    assert.ok(error instanceof CrossSiteRequestError);
    return false;
  }
}

// Tracks: R071, R072, R075
Deno.test("assertSameOrigin() holds the table of Origin and Sec-Fetch-Site", () => {
  const json = "application/json";
  const rows: [string | null, string | null, string | null, boolean][] = [
    [OWN, null, null, true],
    [OWN, "same-origin", null, true],
    [OWN, "none", null, true],
    [OWN, "same-site", null, false],
    [OWN, "cross-site", null, false],
    [OWN, "SAME-ORIGIN", null, false],
    ["https://admin.example", null, null, true],
    ["https://admin.example", "cross-site", null, true],
    ["null", null, null, false],
    ["null", null, json, false],
    ["null", "none", null, false],
    ["null", "cross-site", null, false],
    ["null", "same-origin", null, true],
    [null, "same-origin", null, true],
    [null, "same-site", json, false],
    [null, "cross-site", json, false],
    [null, "none", json, false],
    [null, null, null, false],
    [null, null, json, true],
    [null, null, "Application/JSON; charset=utf-8", true],
    [null, null, "application/x-www-form-urlencoded", false],
    [null, null, "text/plain", false],
    [null, null, "text/plain; application/json", false],
    [null, null, "multipart/form-data; boundary=x", false],
    [null, null, "application/jsonp", false],
    ["https://evil.example", null, json, false],
    ["https://evil.example", "same-origin", null, false],
    ["https://sub.app.example", null, null, false],
    ["https://app.example.evil.example", null, null, false],
    ["https://evilapp.example", null, null, false],
    ["http://app.example", null, null, false],
    ["https://app.example:444", null, null, false],
    ["https://app.example/", null, null, false],
    ["HTTPS://APP.EXAMPLE", null, null, false],
    [`${OWN}, ${OWN}`, null, null, false],
    ["", null, null, false],
  ];
  for (const [origin, site, type, expected] of rows) {
    const headers: Record<string, string> = {};
    if (origin !== null) headers.origin = origin;
    if (site !== null) headers["sec-fetch-site"] = site;
    if (type !== null) headers["content-type"] = type;
    assert.equal(passes(headers), expected, JSON.stringify([origin, site, type]));
  }
});

// Tracks: R072
Deno.test("assertSameOrigin() lets a program pass by its token, and no browser of another site", () => {
  const bearer = { authorization: "Bearer acme_live_key" };
  for (const type of [null, "text/plain", "multipart/form-data; boundary=x", "image/png"]) {
    const headers: Record<string, string> = type === null ? {} : { "content-type": type };
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      assert.equal(passes({ ...headers, ...bearer }, method), true);
      assert.equal(passes({ ...headers, authorization: "bearer x" }, method), true);
      assert.equal(
        passes({ ...headers, ...bearer, "sec-fetch-site": "cross-site" }, method),
        false,
      );
      assert.equal(passes({ ...headers, ...bearer, origin: "null" }, method), false);
      assert.equal(
        passes({ ...headers, ...bearer, origin: "https://evil.example" }, method),
        false,
      );
      // Browsers send these by themselves.
      for (const authorization of ["Basic YTpi", "Digest a", "Negotiate a", "Bearer", ""]) {
        assert.equal(passes({ ...headers, authorization }, method), false, authorization);
      }
    }
  }
  const request = new Request(`${OWN}/x`, { method: "POST" });
  assert.throws(() => assertSameOrigin(request, OPTIONS), { message: /Authorization: Bearer/ });
});

/** Origins that are like another one and are not it. */
function lookAlikes(origin: string): string[] {
  const { protocol, hostname, host, port } = new URL(origin);
  const other = protocol === "https:" ? "http:" : "https:";
  const [first = "", ...rest] = hostname.split(".");
  return [
    `${other}//${host}`,
    `${protocol}//${hostname}${port === "" ? ":444" : ""}`,
    `${protocol}//${hostname}:${port}1`,
    // Longer at either end, with a dot and without one.
    `${protocol}//x.${host}`,
    `${protocol}//evil${host}`,
    `${protocol}//evil-${host}`,
    `${protocol}//${hostname}.evil.example`,
    `${protocol}//${hostname}evil.example`,
    `${protocol}//${hostname}-evil.example`,
    `${protocol}//${hostname}:evil.example`,
    `${protocol}//evil.example/${origin}`,
    `${protocol}//evil.example?${origin}`,
    `${protocol}//evil.example#${origin}`,
    `${protocol}//${host}@evil.example`,
    `${protocol}//evil.example@${host}`,
    `${protocol}//evil.example.${host}`,
    // Shorter, and the names above and beside it.
    `${protocol}//${rest.join(".")}`,
    `${protocol}//${first}`,
    `${protocol}//${host.slice(0, -1)}`,
    `${protocol}//${host.slice(1)}`,
    `${protocol}//other.${rest.join(".")}`,
    // Another spelling, also where a dot would stand for any character.
    `${protocol}//${host}.`,
    `${protocol}//${host.replaceAll(".", "x")}`,
    `${protocol}//${host.toUpperCase()}`,
    origin.toUpperCase(),
    `${origin}/`,
    `${origin}/path`,
    ` ${origin} x`,
    `${origin} ${origin}`,
    `${origin}, ${origin}`,
    `${origin},https://evil.example`,
    host,
    `//${host}`,
    `blob:${origin}`,
    `view-source:${origin}`,
    `null ${origin}`,
  ].filter((text) => text !== origin);
}

// Tracks: R071, R072, PF-h08, PF-q03
Deno.test("assertSameOrigin() takes the own origin and trusted ones, and nothing that is like them", () => {
  const own = "https://app.example";
  const trusted = [
    "https://admin.partner.example",
    "http://localhost:5173",
    "https://b.example:8443",
  ];
  for (const origin of [own, ...trusted]) {
    const refused = lookAlikes(origin);
    assert.ok(refused.length > 30);
    for (const sent of [origin, ...refused]) {
      const request = new Request(`${own}/x`, { method: "POST", headers: { origin: sent } });
      const check = () => assertSameOrigin(request, { ownOrigin: own, trustedOrigins: trusted });
      if (sent === origin) check();
      else assert.throws(check, CrossSiteRequestError, `${sent} for ${origin}`);
    }
  }
});

// Tracks: R071, CVE-2024-43787, CVE-2024-48913
Deno.test("assertSameOrigin() looks at every unsafe method and at no safe one", () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"]) {
    assert.equal(passes({ origin: "https://evil.example" }, method), false, method);
  }
  for (const method of ["GET", "HEAD", "OPTIONS"]) {
    assert.equal(passes({ origin: "https://evil.example" }, method), true, method);
  }
});

// Tracks: R071. Browsers send cookies with the handshake, and let every page read what comes back.
Deno.test("assertSameOrigin() refuses the handshake of another site's WebSocket", () => {
  const rows: [Record<string, string>, boolean][] = [
    [{ origin: OWN }, true],
    [{ "origin": OWN, "sec-fetch-site": "same-origin" }, true],
    [{ "origin": OWN, "sec-fetch-site": "cross-site" }, false],
    [{ origin: "https://admin.example" }, true],
    [{ origin: "https://evil.example" }, false],
    [{ origin: "https://sub.app.example" }, false],
    [{ origin: "null" }, false],
    [{ "sec-fetch-site": "same-site" }, false],
    // Every browser names the origin: whoever does not is none, and has no cookies of others.
    [{}, true],
  ];
  for (const upgrade of ["websocket", "WebSocket"]) {
    for (const [headers, expected] of rows) {
      assert.equal(passes({ upgrade, ...headers }, "GET"), expected, JSON.stringify(headers));
    }
  }
  assert.equal(passes({ upgrade: "h2c", origin: "https://evil.example" }, "GET"), true);
});

// Tracks: R083
Deno.test("assertSameOrigin() believes no forwarded header", () => {
  assert.equal(
    passes({ "origin": "https://evil.example", "x-forwarded-host": "evil.example" }),
    false,
  );
});

// Tracks: AU-11
Deno.test("a request of another origin is told the option that lets it in, and is let in by it", async () => {
  const options = { database: createMemoryStorage(), baseUrl: "http://localhost:8000" };
  const page = "http://localhost:5173"; // as behind the proxy of Vite
  const request = () =>
    new Request("http://localhost:8000/auth/signout", {
      method: "POST",
      headers: { origin: page, "sec-fetch-site": "same-site", accept: "application/json" },
    });
  const refused = await createAuth(options).handle(request(), {});
  assert.equal(refused?.status, 403);
  assert.match((await refused.json()).message, /add it to trustedOrigins/);
  const trusting = createAuth({ ...options, trustedOrigins: [page] });
  assert.equal((await trusting.handle(request(), {}))?.status, 200);
});
