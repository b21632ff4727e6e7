import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { AuthOptions } from "../../app/options.ts";
import { createOAuth2Provider } from "./provider.ts";
import { createTestApplication, type TestApplication } from "../../tests/application.ts";

const JSON_PLEASE = { accept: "application/json" };

interface Place extends TestApplication {
  /** Bodies that were posted to the token endpoint. */
  posted: URLSearchParams[];
}

function createPlace(
  config: Partial<Parameters<typeof createOAuth2Provider>[0]> = {},
  options: Partial<AuthOptions> = {},
): Place {
  const posted: URLSearchParams[] = [];
  const application = createTestApplication({
    rateLimit: false,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.method === "GET") return Response.json({ id: "1", name: "Ada" });
      posted.push(new URLSearchParams(await request.text()));
      return Response.json({ access_token: "access", token_type: "bearer" });
    },
    providers: [createOAuth2Provider({
      id: "code",
      name: "Code",
      clientId: "client",
      clientSecret: "secret",
      authorization: "https://id.example/authorize",
      token: "https://id.example/token",
      userinfo: "https://id.example/me",
      profile: () => ({ id: "1" }),
      ...config,
    })],
    ...options,
  });
  return { ...application, posted };
}

/** Redirect target of a visitor, and the Set-Cookie lines. */
async function start({ send }: Place, cookie?: string): Promise<{ to: URL; lines: string[] }> {
  const response = await send("/signin/code", {
    fields: {},
    headers: JSON_PLEASE,
    ...(cookie !== undefined && { cookie }),
  });
  assert.equal(response.status, 200);
  const { redirectTo } = await response.json();
  return { to: new URL(redirectTo), lines: response.headers.getSetCookie() };
}

// Tracks: R084, R085, CVE-2025-4144
Deno.test("POST /signin/<provider> sends the hash of a verifier that only the exchange names (PKCE, S256)", async () => {
  const place = createPlace();
  const seen = new Set<string>();
  for (let time = 0; time < 3; time++) {
    const { to, lines } = await start(place);
    const { searchParams } = to;
    assert.equal(searchParams.get("code_challenge_method"), "S256");
    const challenge = searchParams.get("code_challenge")!;
    const state = searchParams.get("state")!;
    const callback = `/callback/code?${new URLSearchParams({ code: "c", state })}`;
    const answer = await place.send(callback, { cookie: lines[0]!.split(";")[0]! });
    assert.equal(answer.headers.get("location"), "https://app.example/");
    const verifier = place.posted.at(-1)!.get("code_verifier")!;
    // RFC 7636, 4.1 and 4.2: 43 to 128 characters, and their SHA-256 as base64url.
    assert.match(verifier, /^[A-Za-z0-9_-]{43}$/);
    assert.equal(createHash("sha256").update(verifier).digest("base64url"), challenge);
    // What the browser carries to the provider, and what it keeps, do not give the verifier away.
    const known = [to.href, ...lines].join("\n");
    for (const hidden of [verifier, state]) assert.equal(lines.join().includes(hidden), false);
    assert.equal(known.includes(verifier), false);
    for (const one of [verifier, challenge, state]) {
      assert.equal(seen.has(one), false, "each is new each time, and none is another");
      seen.add(one);
    }
  }
  place.close();
});

// Tracks: R085, R064, CVE-2023-27490
Deno.test("the cookie of a sign-in at a provider has the exact attributes that it needs, and goes with the answer", async () => {
  const value = "[\\w-]{43}";
  const rows: [string, Place, string][] = [
    [
      "https",
      createPlace(),
      `^__Host-framework\\.oauth-STATE=${value}; Path=/; Max-Age=1200; HttpOnly; Secure; SameSite=Lax$`,
    ],
    [
      "an answer by form, which another site posts",
      createPlace({ responseMode: "form_post" }),
      `^__Host-framework\\.oauth-STATE=${value}; Path=/; Max-Age=1200; HttpOnly; Secure; SameSite=None$`,
    ],
  ];
  for (const [what, place, pattern] of rows) {
    const { to, lines } = await start(place);
    const name = to.searchParams.get("state")!.slice(0, 12);
    assert.equal(lines.length, 1, what);
    assert.match(lines[0]!, new RegExp(pattern.replace("STATE", name)), what);
    const fields = { code: "c", state: to.searchParams.get("state")! };
    const cookie = lines[0]!.split(";")[0]!;
    const answer = what === "https"
      ? await place.send(`/callback/code?${new URLSearchParams(fields)}`, { cookie })
      : await place.send("/callback/code", { fields, cookie });
    const cleared = answer.headers.getSetCookie().find((line) => line.includes("framework.oauth-"));
    const end = lines[0]!.replace(/=[^;]+/, "=").replace(
      "Max-Age=1200",
      "Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
    );
    assert.equal(cleared, end, what);
    place.close();
  }
});

// Tracks: R085
Deno.test("on plain http of a loopback host, where browsers refuse more, the cookie is HttpOnly and Lax all the same", async () => {
  const baseUrl = "http://localhost:8787";
  const place = createPlace({}, { baseUrl });
  const request = new Request(`${baseUrl}/auth/signin/code`, {
    method: "POST",
    headers: { origin: baseUrl },
  });
  const [line = ""] = (await place.auth.handle(request, {}))!.headers.getSetCookie();
  const pattern =
    /^framework\.oauth-[\w-]{12}=[\w-]{43}; Path=\/; Max-Age=1200; HttpOnly; SameSite=Lax$/;
  assert.match(line, pattern);
  place.close();
});

// Tracks: F35
Deno.test("a browser has cookies of eight sign-ins under way, the newest", async () => {
  const place = createPlace();
  let cookie = "";
  for (let time = 0; time < 12; time++) {
    const { lines } = await start(place, cookie);
    const jar = new Map(
      cookie.split("; ").filter(Boolean).map((pair) => [pair.split("=")[0]!, pair]),
    );
    for (const line of lines) {
      const [pair = ""] = line.split(";");
      if (line.includes("Max-Age=0")) jar.delete(pair.split("=")[0]!);
      else jar.set(pair.split("=")[0]!, pair);
    }
    cookie = [...jar.values()].join("; ");
    assert.equal(jar.size, Math.min(time + 1, 8));
  }
  place.close();
});
