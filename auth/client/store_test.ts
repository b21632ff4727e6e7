import assert from "node:assert/strict";
import { openPage, type PageDouble, sessionOf } from "../tests/page_double.ts";
import { announce } from "./broadcast.ts";
import { type AuthState, type AuthStore, createAuthStore } from "./store.ts";

const HOUR = 3_600_000;

/** Short form of what a listener received. */
function record(store: AuthStore): { told: string[]; end: () => void } {
  const told: string[] = [];
  const end = store.subscribe(({ status, user }) => {
    told.push(user === null ? status : `${status} ${user.name}`);
  });
  return { told, end };
}

async function signedIn(page: PageDouble, seconds = 3600) {
  page.answer = sessionOf("ada", page, seconds);
  const store = createAuthStore(page.options);
  const { told, end } = record(store);
  await page.settle();
  assert.deepEqual(told, ["loading", "authenticated ada"]);
  return { store, told, end };
}

// Tracks: R156
Deno.test("createAuthStore() is loading, then knows who is signed in", async () => {
  await using page = openPage();
  const { store, end } = await signedIn(page);
  const { user, status } = store.getState();
  assert.equal(status, "authenticated");
  assert.deepEqual(user?.emailVerified, new Date("2026-01-01T00:00:00.000Z"));
  assert.deepEqual(Object.keys(store.getState()).sort(), ["status", "user"]);
  end();
});

Deno.test("createAuthStore() is loading, then knows that nobody is", async () => {
  await using page = openPage();
  const store = createAuthStore(page.options);
  assert.deepEqual(store.getState(), { status: "loading", user: null });
  const { told, end } = record(store);
  await page.settle();
  assert.deepEqual(told, ["loading", "unauthenticated"]);
  end();
});

Deno.test("createAuthStore() asks once for many subscribers and none before the first", async () => {
  await using page = openPage();
  const store = createAuthStore(page.options);
  assert.deepEqual(page.requests, []);
  const ends = Array.from({ length: 20 }, () => store.subscribe(() => {}));
  const [first, second] = await Promise.all([store.refresh(), store.refresh()]);
  assert.equal(first, second);
  assert.deepEqual(page.requests, ["GET /auth/session"]);
  for (const end of ends) end();
});

Deno.test("createAuthStore() holds nothing when the last subscriber has left", async () => {
  await using page = openPage();
  const { store, end } = await signedIn(page);
  assert.ok(page.timers() === 1 && page.channels.size === 1 && page.listening.length > 0);
  end();
  end();
  assert.deepEqual([page.timers(), page.channels.size, page.listening], [0, 0, []]);
  await page.pass(48 * HOUR);
  assert.equal(page.requests.length, 1);
  page.answer = null;
  const again = record(store);
  await page.settle();
  assert.deepEqual(again.told, ["authenticated ada", "unauthenticated"]);
  again.end();
});

Deno.test("createAuthStore() keeps state and object while it asks again and nothing changed", async () => {
  await using page = openPage();
  const { store, told, end } = await signedIn(page);
  const before = store.getState();
  await page.pass(10_000);
  await page.fire("focus");
  await page.pass(10_000);
  await page.fire("visibilitychange");
  await page.fire("online");
  assert.equal(page.requests.length, 4);
  assert.equal(store.getState(), before);
  assert.equal(told.length, 2);
  end();
});

Deno.test("createAuthStore() does not ask at every change of the window, nor when hidden", async () => {
  await using page = openPage();
  const { end } = await signedIn(page);
  await page.fire("focus");
  await page.fire("focus");
  await page.pass(10_000);
  page.document.visibilityState = "hidden";
  await page.fire("visibilitychange");
  assert.equal(page.requests.length, 1);
  end();
});

Deno.test("createAuthStore() hears on focus what happened elsewhere", async () => {
  await using page = openPage();
  const { told, end } = await signedIn(page);
  page.answer = sessionOf("grace", page);
  await page.pass(10_000);
  await page.fire("focus");
  page.answer = null;
  await page.pass(10_000);
  await page.fire("focus");
  assert.deepEqual(told.slice(2), ["authenticated grace", "unauthenticated"]);
  end();
});

// Tracks: R156
for (const fault of ["offline", "html", 500, 503, 429, 404] as const) {
  Deno.test(`createAuthStore() keeps what it knows when the answer is ${fault}`, async () => {
    await using page = openPage();
    const codes: string[] = [];
    page.answer = sessionOf("ada", page);
    const store = createAuthStore({ ...page.options, onError: ({ code }) => codes.push(code) });
    const { told, end } = record(store);
    await page.settle();
    page.answer = fault;
    await page.pass(10_000);
    await page.fire("focus");
    assert.equal(store.getState().status, "authenticated");
    const code = fault === "offline"
      ? "NETWORK_ERROR"
      : fault === "html"
      ? "UNEXPECTED_RESPONSE"
      : "ANY";
    assert.deepEqual(codes, [code]);
    page.answer = null;
    await page.pass(2_000);
    assert.deepEqual(told.slice(2), ["unauthenticated"]);
    end();
  });
}

Deno.test("createAuthStore() stays loading while there is no answer, and asks less and less", async () => {
  await using page = openPage();
  page.answer = "offline";
  const store = createAuthStore(page.options);
  const { told, end } = record(store);
  await page.pass(10 * 60_000);
  assert.deepEqual(told, ["loading"]);
  // At once, after 1, 3, 7, 15, 31 and 63 seconds, then once a minute.
  assert.equal(page.requests.length, 15);
  page.answer = sessionOf("ada", page);
  await page.fire("online");
  assert.deepEqual(told, ["loading", "authenticated ada"]);
  end();
});

// Tracks: R156
Deno.test("createAuthStore() is unauthenticated when the session is over, also without a server", async () => {
  for (const answer of [null, "offline", 500] as const) {
    await using page = openPage();
    const { store, told, end } = await signedIn(page, 600);
    page.answer = answer;
    await page.pass(599_000);
    assert.equal(store.getState().status, "authenticated", String(answer));
    await page.pass(1_000);
    assert.deepEqual(told.slice(2), ["unauthenticated"], String(answer));
    end();
  }
});

Deno.test("createAuthStore() is right about the end where it already failed to ask before", async () => {
  await using page = openPage();
  const { store, end } = await signedIn(page, 100);
  page.answer = "offline";
  await page.pass(10_000);
  await page.fire("focus");
  await page.pass(89_500);
  assert.equal(store.getState().status, "authenticated");
  await page.pass(1_000);
  assert.equal(store.getState().status, "unauthenticated");
  end();
});

Deno.test("createAuthStore() goes on when the session was renewed elsewhere", async () => {
  await using page = openPage();
  const { told, end } = await signedIn(page, 600);
  await page.pass(300_000);
  page.answer = sessionOf("ada", page, 3600);
  await page.pass(310_000);
  assert.equal(page.requests.length, 2);
  assert.equal(told.length, 2);
  end();
});

Deno.test("createAuthStore() goes by the server's clock, and makes no storm of requests", async () => {
  for (const skew of [-48 * HOUR, 48 * HOUR]) {
    await using page = openPage();
    const ahead = { now: page.now + skew };
    page.answer = sessionOf("ada", ahead, 600);
    const { answer } = page;
    const fetch = () =>
      Promise.resolve(Response.json(answer, {
        headers: { date: new Date(page.now + skew).toUTCString() },
      }));
    let asked = 0;
    const store = createAuthStore({ fetch: () => (asked++, fetch()) });
    const { told, end } = record(store);
    await page.pass(599_000);
    assert.deepEqual([told, asked], [["loading", "authenticated ada"], 1], String(skew));
    end();
  }
  await using page = openPage();
  // A clock that is ahead, and a server that does not tell its own.
  page.answer = sessionOf("ada", { now: page.now - 48 * HOUR }, 600);
  let asked = 0;
  const fetch = () => {
    asked++;
    return Promise.resolve(Response.json(page.answer));
  };
  const store = createAuthStore({ fetch });
  const { told, end } = record(store);
  await page.pass(10 * 60_000);
  assert.deepEqual(told, ["loading", "authenticated ada"]);
  assert.equal(asked, 11);
  end();
});

Deno.test("createAuthStore() waits for an end that no timer can wait for", async () => {
  await using page = openPage();
  const { store, end } = await signedIn(page, 60 * 24 * 3600);
  await page.pass(24 * 24 * HOUR);
  assert.equal(page.requests.length, 1);
  await page.pass(24 * HOUR);
  assert.equal(page.requests.length, 2);
  assert.equal(store.getState().status, "authenticated");
  end();
});

// Tracks: R156
Deno.test("stores in several tabs hear of each other's sign-in and sign-out", async () => {
  await using page = openPage();
  const tabs = Array.from({ length: 3 }, () => record(createAuthStore(page.options)));
  const foreign = record(createAuthStore({ ...page.options, basePath: "/admin/auth" }));
  await page.settle();
  page.answer = sessionOf("ada", page);
  announce("in", {});
  await page.settle();
  page.answer = "offline";
  announce("out", {});
  await page.settle();
  for (const { told, end } of tabs) {
    assert.deepEqual(told, ["loading", "unauthenticated", "authenticated ada", "unauthenticated"]);
    end();
  }
  assert.deepEqual(foreign.told, ["loading", "unauthenticated"]);
  foreign.end();
});

// Tracks: R156
Deno.test("an answer from before a sign-out does not sign in again", async () => {
  await using page = openPage();
  const { store, told, end } = await signedIn(page);
  const release = page.hold();
  await page.pass(10_000);
  await page.fire("focus");
  const old = store.refresh();
  page.answer = null;
  announce("out", {});
  await page.settle();
  assert.equal(store.getState().status, "unauthenticated");
  release();
  assert.equal((await old).status, "unauthenticated");
  assert.deepEqual(told.slice(2), ["unauthenticated"]);
  end();
});

Deno.test("createAuthStore() begins with the session of the server and asks nobody", async () => {
  await using page = openPage();
  const session = sessionOf("ada", page, 600);
  const store = createAuthStore({ ...page.options, session });
  assert.deepEqual(store.getState().user?.emailVerified, new Date("2026-01-01T00:00:00.000Z"));
  const { told, end } = record(store);
  await page.pass(500_000);
  assert.deepEqual([told, page.requests], [["authenticated ada"], []]);
  await page.pass(100_000);
  assert.deepEqual(told, ["authenticated ada", "unauthenticated"]);
  const nobody = record(createAuthStore({ ...page.options, session: null }));
  assert.deepEqual(nobody.told, ["unauthenticated"]);
  nobody.end();
  end();
});

Deno.test("createAuthStore() on a server asks nobody and keeps nothing", async () => {
  let asked = 0;
  const fetch = () => Promise.resolve(new Response(String(asked++)));
  const states: AuthState[] = [];
  const end = createAuthStore({ fetch }).subscribe((state) => states.push(state));
  await Promise.resolve();
  assert.deepEqual([states.map(({ status }) => status), asked], [["loading"], 0]);
  end();
});

Deno.test("a page that is kept for the way back holds no channel, and asks when it is shown again", async () => {
  await using page = openPage();
  const { told, end } = await signedIn(page);
  await page.fire("pagehide");
  assert.deepEqual([page.channels.size, page.timers()], [0, 0]);
  page.answer = null;
  await page.fire("pageshow");
  assert.equal(page.channels.size, 1);
  assert.deepEqual(told.slice(2), ["unauthenticated"]);
  end();
});

Deno.test("can() answers by the rules of the server, and nobody may do anything", async () => {
  await using page = openPage();
  page.answer = sessionOf("ada", page);
  page.answer.user.role = "editor";
  const rules = {
    roles: [["editor", ["posts:read", "posts:edit:own"], []]] as [string, string[], string[]][],
    defaultRole: null,
  };
  const store = createAuthStore({ ...page.options, rules });
  assert.equal(store.can("posts:read"), false);
  const { end } = record(store);
  await page.settle();
  assert.equal(store.can("posts:read"), true);
  assert.equal(store.can(["posts:delete", "posts:read"]), true);
  assert.equal(store.can("posts:edit:own", { ownerId: "ada" }), true);
  assert.equal(store.can("posts:edit:own", { ownerId: "grace" }), false);
  assert.equal(store.can("posts:delete"), false);
  assert.equal(createAuthStore({ ...page.options, session: page.answer }).can("posts:read"), false);
  announce("out", {});
  await page.settle();
  end();
});
