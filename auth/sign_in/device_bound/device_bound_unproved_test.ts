import assert from "node:assert/strict";
import { UnauthenticatedError } from "../../errors.ts";
import { getUser, requireAuth, requireRecentAuth } from "../../session/operations.ts";
import { setUserRoles } from "../../session/users.ts";
import { ORIGIN, visit } from "../../tests/application.ts";
import { challengeIn, createDevice } from "../../tests/device.ts";
import { LONG, seen, SHORT, testOver } from "../../tests/device_application.ts";
import { during } from "../../tests/during.ts";

testOver(
  "without the proof a page tries again, and an unsafe request is refused before it is read",
  async (application) => {
    const { ada, clock } = application;
    await ada.signIn();
    await ada.register();
    clock.now += 600_001;
    const cookie = ada.cookie();
    const page = await visit(application, () => Response.json(requireAuth()), { cookie });
    assert.equal(page.status, 401);
    assert.equal(page.headers.get("refresh"), "3");
    assert.match(await page.text(), /Checking this device/);
    // A visitor's page is a visitor's.
    assert.equal(await seen(application, cookie), "undefined undefined");
    const forced = () => {
      throw new UnauthenticatedError();
    };
    assert.match(
      await (await visit(application, forced, { cookie })).text(),
      /Checking this device/,
    );
    const plain = () => new Response(null, { status: 401 });
    assert.match(
      await (await visit(application, plain, { cookie })).text(),
      /Checking this device/,
    );
    const account = await application.send("/account", {
      cookie,
      headers: { accept: "text/html" },
    });
    assert.match(await account.text(), /Checking this device/);

    let called = false;
    const refusedPost = await application.auth.run(
      new Request(`${ORIGIN}/orders`, {
        method: "POST",
        headers: { cookie, origin: ORIGIN, accept: "application/json" },
        body: "all of it",
      }),
      {},
      undefined,
      () => {
        called = true;
        return new Response();
      },
    );
    assert.equal(refusedPost.status, 401);
    assert.equal((await refusedPost.json()).code, "SESSION_UNBOUND");
    assert.equal(called, false);
    const own = await application.send("/account/profile", { cookie, fields: { name: "Eve" } });
    assert.equal(own.status, 401);

    // No header of the request loosens it, and the browser keeps its cookie.
    for (
      const name of ["secure-session-skipped", "sec-secure-session-id", "secure-session-response"]
    ) {
      const request = new Request(`${ORIGIN}/page`, {
        headers: { cookie, [name]: 'unreachable;session_identifier="s1"' },
      });
      const response = await application.auth.run(
        request,
        {},
        undefined,
        () => new Response(String(getUser())),
      );
      assert.equal(await response.text(), "null");
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
    assert.equal((await ada.refresh()).status, 200);
    assert.equal(await seen(application, ada.cookie()), "ada true");
  },
);

testOver("a token in a header has no device, and http offers none", async (application) => {
  const { ada, auth } = application;
  await ada.signIn();
  await ada.register();
  for (const token of [ada.jar.get(LONG), `${ada.jar.get(LONG)}~${ada.jar.get(SHORT)}`]) {
    const request = new Request(`${ORIGIN}/page`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const response = await auth.run(request, {}, undefined, () => new Response(String(getUser())));
    assert.equal(await response.text(), "null");
  }
}, { options: { session: { bearer: true } } });

testOver("requireRecentAuth({ deviceBound: true }) wants a bound session", async (application) => {
  const { ada } = application;
  await ada.signIn();
  const action = () => Response.json(requireRecentAuth({ deviceBound: true }));
  const refusedBefore = await visit(application, action, { cookie: ada.cookie() });
  assert.equal(refusedBefore.status, 401);
  await ada.register();
  assert.equal((await visit(application, action, { cookie: ada.cookie() })).status, 200);
});

testOver(
  "required() refuses users whose browser has bound no session",
  async (application) => {
    const { ada } = application;
    await ada.signIn();
    assert.equal(await seen(application, ada.cookie()), "undefined undefined");
    assert.equal((await ada.register()).status, 200);
    assert.equal(await seen(application, ada.cookie()), "ada true");
    const eve = await createDevice(application);
    await eve.signIn("eve");
    assert.equal(await seen(application, eve.cookie()), "eve false");
  },
  { config: { required: ({ name }) => name === "ada" } },
);

testOver(
  "required() is told the role that stands in `role` among `roles`",
  async (application) => {
    const { ada } = application;
    for (const [role, expected] of [["admin", "undefined undefined"], ["reader", "ada false"]]) {
      await ada.signIn();
      await during(application, undefined, () => setUserRoles("ada", { role: role! }));
      await ada.signIn();
      assert.equal(await seen(application, ada.cookie()), expected);
    }
  },
  { config: { required: ({ roles = [] }) => roles.includes("admin") } },
);

testOver(
  "a session whose user must bind it by now is refused when it is read anew, and its cookie stays",
  async (application) => {
    const { ada, send } = application;
    await ada.signIn();
    await during(application, undefined, () => setUserRoles("ada", { role: "admin" }));
    const response = await send("/session", {
      method: "POST",
      cookie: ada.cookie(),
      headers: { accept: "application/json" },
    });
    assert.deepEqual([response.status, (await response.json()).code], [401, "SESSION_UNBOUND"]);
    assert.deepEqual(response.headers.getSetCookie(), []);
  },
  { config: { required: ({ roles = [] }) => roles.includes("admin") } },
);

testOver(
  "both endpoints answer the same whether there is a session or not, and are counted by session",
  async (application) => {
    const { ada } = application;
    await ada.signIn();
    await ada.register();
    const nobody = await createDevice(application);
    nobody.jar.set(LONG, "b".repeat(43));
    for (const path of ["start", "refresh"] as const) {
      const headersOf = ({ headers }: Response) => [...headers.keys()].sort();
      const theirs = await ada.ask(path);
      const none = await nobody.ask(path);
      assert.deepEqual([none.status, headersOf(none)], [theirs.status, headersOf(theirs)]);
      assert.equal(await none.text(), await theirs.text());
    }
    assert.match(challengeIn(await nobody.ask("refresh")), /^\d{13}\.[\w-]{43}$/);
    const statuses = [];
    for (let round = 0; round < 62; round++) statuses.push((await ada.ask("refresh")).status);
    // By no answer of 4xx, for which a browser drops its key.
    assert.equal(statuses.at(-1), 503);
    assert.equal(statuses[40], 403);
    // Whoever has copied the long cookie uses up what is counted of their own address.
    ada.address = "198.51.100.9";
    assert.equal((await ada.refresh()).status, 200);
  },
);

testOver("the account page says if the session is bound to its device", async (application) => {
  const { ada } = application;
  await ada.signIn();
  const page = async () =>
    await (await application.send("/account", { cookie: ada.cookie() })).text();
  assert.match(await page(), /Not bound: this browser cannot bind/);
  await ada.register();
  assert.match(await page(), /Bound to this device/);
});
