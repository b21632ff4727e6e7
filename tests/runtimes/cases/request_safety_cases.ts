import {
  assertSameOrigin,
  createMemoryStorage,
  CrossSiteRequestError,
  requireAuth,
} from "@framework/auth";
import assert from "node:assert/strict";
import { HOSTILE_ADDRESSES, OWN_ADDRESSES } from "../../../auth/tests/hostile_addresses.ts";
import { createApplication, ORIGIN, ownRequest } from "../application.ts";
import type { Case } from "../behaviour.ts";

const SITES = [null, "same-origin", "same-site", "cross-site", "none", "SAME-ORIGIN"];
const ORIGINS = [
  null,
  ORIGIN,
  "null",
  "https://admin.example",
  "https://evil.example",
  "https://sub.app.example",
  "http://app.example",
  "https://app.example:444",
  "https://app.example.evil.example",
  "",
];
const TYPES = [null, "application/json", "application/x-www-form-urlencoded", "text/plain"];

function sameOriginVerdict(headers: Record<string, string>): boolean {
  const request = new Request(`${ORIGIN}/x`, { method: "POST" });
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  try {
    assertSameOrigin(request, { ownOrigin: ORIGIN, trustedOrigins: ["https://admin.example"] });
    return true;
  } catch (error) {
    assert.ok(error instanceof CrossSiteRequestError);
    return false;
  }
}

/** Cases about cross-site requests and redirects to other sites. */
export const REQUEST_SAFETY_CASES: Record<string, Case> = {
  // Tracks: R077, CVE-2024-56734, GHSA-8jhw-6pjj-8723, CVE-2025-27143, GHSA-hjpm-7mrm-26w8, GHSA-vp58-j275-797x, CVE-2025-71403, CVE-2022-24858, CVE-2022-29214, CVE-2021-43812, CVE-2022-24794, CVE-2022-3145, CVE-2020-11053, CVE-2025-4143, GHSA-86j7-9j95-vpqj, CVE-2026-67333
  "no callbackUrl leads out of the application, after sign-in, sign-out or requireAuth": async (
    world,
  ) => {
    // Hundreds sign in, and where that leads does not depend on a database.
    const application = await createApplication({
      ...world,
      createDatabase: () => Promise.resolve(createMemoryStorage()),
    });
    const seen: unknown[] = [];
    for (const callbackUrl of [...HOSTILE_ADDRESSES, ...OWN_ADDRESSES]) {
      const fields = { name: "ada", password: "right", callbackUrl };
      const signedIn = await application.send("/auth/signin/credentials", { fields });
      const signedOut = await application.send("/auth/signout", { fields: { callbackUrl } });
      const query = `?callbackUrl=${encodeURIComponent(callbackUrl.toWellFormed())}`;
      const page = await (await application.send(`/auth/signin${query}`)).text();
      const carried = /name="callbackUrl" value="([^"]*)"/.exec(page)?.[1] ?? null;
      const targets = [signedIn.headers.get("location"), signedOut.headers.get("location")];
      for (const target of targets) {
        assert.equal(new URL(target!).origin, ORIGIN, JSON.stringify(callbackUrl));
      }
      if (carried !== null) assert.equal(new URL(carried, ORIGIN).origin, ORIGIN);
      seen.push([callbackUrl, signedIn.status, signedOut.status, ...targets, carried]);
    }
    return seen;
  },
  // Tracks: R077
  "requireAuth({ redirectTo }) that leaves the application is refused, not followed": async (
    world,
  ) => {
    const application = await createApplication(world);
    for (const redirectTo of HOSTILE_ADDRESSES) {
      await assert.rejects(
        application.visit(() => Response.json(requireAuth({ redirectTo }))),
        { code: "CONFIGURATION" },
        JSON.stringify(redirectTo),
      );
    }
  },
  // Tracks: R071, R072, R074, R075, CVE-2024-43787, CVE-2024-48913, CVE-2023-29003, CVE-2023-29008
  "the table of Origin, Sec-Fetch-Site and Content-Type has one verdict everywhere": () => {
    const verdicts: string[] = [];
    for (const origin of ORIGINS) {
      for (const site of SITES) {
        for (const type of TYPES) {
          const headers = Object.fromEntries(
            Object.entries({ origin, "sec-fetch-site": site, "content-type": type })
              .filter((entry): entry is [string, string] => entry[1] !== null),
          );
          if (sameOriginVerdict(headers)) verdicts.push(JSON.stringify([origin, site, type]));
        }
      }
    }
    // Own origin: absent, same-origin, none. Trusted: any. "null" and absent: same-origin. Nothing but JSON.
    assert.equal(verdicts.length, (3 + 6 + 1 + 1) * TYPES.length + 1);
    return verdicts;
  },
  // Tracks: R071, R072, BA #9973
  "a form of another site signs nobody in and nobody out": async (world) => {
    const application = await createApplication(world);
    const cookie = await application.signIn();
    const fields = { name: "eve", password: "right" };
    for (const origin of ORIGINS.slice(2)) {
      const headers = { origin: origin === "" ? " " : origin! };
      for (const path of ["/auth/signin/credentials", "/auth/signout"]) {
        const response = await application.send(path, { fields, headers, cookie });
        assert.equal(response.status, 403, `${origin} ${path}`);
        assert.deepEqual(response.headers.getSetCookie(), []);
      }
    }
    const session = await (await application.send("/auth/session", { cookie })).json();
    assert.equal(session.user.id, "ada");
  },
  // Tracks: R081, R082, GHSA-x732-6j76-qmhm
  "every path, spelling and method has one status everywhere": async (world) => {
    const application = await createApplication(world);
    const paths = [
      "/auth",
      "/auth/",
      "/auth/signin",
      "/auth/signin/",
      "/auth//signin",
      "/auth/./signin",
      "/auth/x/../signin",
      "/auth/SIGNIN",
      "/auth/sign%69n",
      "/auth/signin;x",
      "/auth/signin%2fcredentials",
      "/auth/signin/credentials",
      "/auth/signin/credentials/",
      "/auth/signin/__proto__",
      "/auth/signout",
      "/auth/session",
      "/auth/providers",
      "/auth/error",
      "/auth/constructor",
      "/auth%2fsession",
      "/AUTH/session",
      "//auth/session",
      "/authx",
      "/",
    ];
    const seen: unknown[] = [];
    for (const path of paths) {
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const response = await application.auth.handle(ownRequest(path, { method }), {});
        const body = await response?.text();
        if (method === "HEAD" && response !== null) assert.equal(body, "", path);
        if (response !== null) assert.equal(response.headers.get("cache-control"), "no-store");
        seen.push([method, path, response?.status, response?.headers.get("allow")]);
      }
    }
    return seen;
  },
  // Tracks: R083, CVE-2025-29927
  "no request header makes anybody signed in": async (world) => {
    const application = await createApplication(world);
    await application.signIn();
    const headers = {
      "authorization": "Bearer ada",
      "x-framework-user": "ada",
      "x-framework-probe": "1",
      "x-middleware-subrequest": "auth",
      "x-middleware-next": "1",
      "x-user-id": "ada",
      "x-forwarded-user": "ada",
      "x-forwarded-host": "localhost",
      "cf-access-authenticated-user-email": "ada",
    };
    const response = await application.visit(
      async ({ auth }) => Response.json(await auth.getUser()),
      { headers },
    );
    assert.equal(await response.json(), null);
  },
};
