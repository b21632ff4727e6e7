import { getSession, getUser, requireAuth } from "@framework/auth";
import assert from "node:assert/strict";
import { type Application, createApplication } from "../application.ts";
import type { Case } from "../behaviour.ts";

const DAY = 24 * 60 * 60 * 1000;

async function whoIs(application: Application, cookie: string): Promise<string | null> {
  const session = await (await application.send("/auth/session", { cookie })).json();
  return session?.user.id ?? null;
}

/** Cases about the lifetime of sessions. */
export const SESSION_CASES: Record<string, Case> = {
  // Tracks: R042
  "GET /session is null without a session, and the user and the end with one": async (world) => {
    const application = await createApplication(world);
    const none = await application.send("/auth/session");
    assert.equal(await none.json(), null);
    const cookie = await application.signIn();
    const response = await application.send("/auth/session", { cookie });
    assert.equal(response.headers.get("cache-control"), "no-store");
    const body = await response.json();
    assert.deepEqual(Object.keys(body).sort(), ["expires", "user"]);
    return body;
  },
  // Tracks: R034, F29
  "sign-out ends the session on the server": async (world) => {
    const application = await createApplication(world);
    const cookie = await application.signIn();
    const response = await application.send("/auth/signout", { method: "POST", cookie });
    assert.equal(response.status, 303);
    assert.equal(await whoIs(application, cookie), null);
    return response.headers.getSetCookie();
  },
  // Tracks: R070, BA #9991
  "GET and HEAD of the sign-out page end nothing": async (world) => {
    const application = await createApplication(world);
    const cookie = await application.signIn();
    for (const method of ["GET", "HEAD"]) {
      await application.send("/auth/signout", { method, cookie });
    }
    assert.equal(await whoIs(application, cookie), "ada");
  },
  // Tracks: R035, K10, CVE-2024-35220, CVE-2024-31999
  "a session ends at maxAge, to the millisecond": async (world) => {
    const session = { strategy: "database", maxAge: 100, updateAge: 1000 } as const;
    const application = await createApplication(world, { session });
    const cookie = await application.signIn();
    const start = application.clock.now;
    const seen: (string | null)[] = [];
    for (const passed of [0, 99_999, 100_000, 100_001]) {
      application.clock.now = start + passed;
      seen.push(await whoIs(application, cookie));
    }
    assert.deepEqual(seen, ["ada", "ada", null, null]);
  },
  // Tracks: R038, K10
  "a session that is always in use ends at absoluteMaxAge": async (world) => {
    const session = {
      strategy: "database",
      maxAge: 100,
      updateAge: 0,
      absoluteMaxAge: 250,
    } as const;
    const application = await createApplication(world, { session });
    const cookie = await application.signIn();
    const start = application.clock.now;
    const seen: (string | null)[] = [];
    for (const second of [50, 120, 200, 249.999, 250]) {
      application.clock.now = start + second * 1000;
      seen.push(await whoIs(application, cookie));
    }
    assert.deepEqual(seen, ["ada", "ada", "ada", "ada", null]);
  },
  // Tracks: R036, F04
  "of 100 requests at once one renews the session, and all are signed in": async (world) => {
    const application = await createApplication(world);
    const cookie = await application.signIn();
    application.clock.now += 2 * DAY;
    const responses = await Promise.all(
      Array.from(
        { length: 100 },
        () => application.visit(() => Response.json(getUser()?.id ?? null), { cookie }),
      ),
    );
    assert.deepEqual(await Promise.all(responses.map((one) => one.json())), Array(100).fill("ada"));
    const lines = responses.flatMap((one) => one.headers.getSetCookie());
    assert.equal(lines.length, 1);
    assert.equal(lines[0]!.split(";")[0], cookie);
  },
  // Tracks: R037, F05
  "a session that is ended while others renew it stays ended": async (world) => {
    const session = { strategy: "database", updateAge: 0 } as const;
    const application = await createApplication(world, { session });
    for (let round = 0; round < Math.min(20, 5 * world.rounds); round++) {
      const cookie = await application.signIn();
      application.clock.now += 1000;
      await Promise.all([
        ...Array.from({ length: 5 }, () => application.send("/auth/session", { cookie })),
        application.send("/auth/signout", { method: "POST", cookie }),
        ...Array.from({ length: 5 }, () => application.send("/auth/session", { cookie })),
      ]);
      application.clock.now += 1000;
      assert.equal(await whoIs(application, cookie), null, `round ${round}`);
    }
  },
  // Tracks: R041, F33, GHSA-wmjr-v86c-m9jj
  "a cookie that opens nothing is nobody, and is removed": async (world) => {
    const application = await createApplication(world);
    const cookie = await application.signIn();
    const [name, token] = cookie.split("=") as [string, string];
    const values = [
      "",
      "x",
      token.slice(1),
      `${token}A`,
      (token[0] === "A" ? "B" : "A") + token.slice(1),
      token.toUpperCase() === token ? token.toLowerCase() : token.toUpperCase(),
      `"${token}`,
      encodeURIComponent(`${token}%`),
      "__proto__",
      "%",
      "%zz",
      "A".repeat(43),
      "A".repeat(5000),
      "null",
    ];
    const seen: unknown[] = [];
    for (const value of values) {
      const response = await application.send("/auth/session", { cookie: `${name}=${value}` });
      assert.equal(response.status, 200, value);
      assert.equal(await response.json(), null, value);
      seen.push(response.headers.getSetCookie());
    }
    return seen;
  },
  "requireAuth() tells an expired session from none, with throwError": async (world) => {
    const session = { strategy: "database", maxAge: 10 } as const;
    const application = await createApplication(world, { session });
    const cookie = await application.signIn();
    application.clock.now += 10_000;
    const seen: unknown[] = [];
    for (const init of [{ cookie }, {}]) {
      const headers = { accept: "application/json" };
      const thrown = await application.visit(() => {
        requireAuth({ throwError: true });
        return new Response();
      }, { ...init, headers });
      seen.push([thrown.status, (await thrown.json()).code]);
      const sent = await application.visit(() => Response.json(requireAuth()), init);
      seen.push([sent.status, sent.headers.get("location")]);
    }
    assert.deepEqual(seen.slice(0, 1), [[401, "SESSION_EXPIRED"]]);
    assert.deepEqual(seen[2], [401, "UNAUTHENTICATED"]);
    return seen;
  },
  // Tracks: F27, F26
  "sessions hold in 1970, past 2038 and over a leap day": async (world) => {
    const application = await createApplication(world);
    for (
      const start of [0, Date.UTC(2038, 0, 19, 3, 14, 7), Date.UTC(2028, 1, 29), 4102444800000]
    ) {
      application.clock.now = start;
      const cookie = await application.signIn();
      assert.equal(await whoIs(application, cookie), "ada", String(start));
      application.clock.now = start + 30 * DAY;
      assert.equal(await whoIs(application, cookie), null, String(start));
    }
  },
  "getSession() is the same object for everyone who asks in one request": async (world) => {
    const application = await createApplication(world);
    const cookie = await application.signIn();
    await application.visit(async ({ auth }) => {
      assert.equal(getSession(), await auth.getSession());
      assert.equal(getSession()?.user, getUser());
      return new Response();
    }, { cookie });
  },
};
