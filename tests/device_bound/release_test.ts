// docs/sessions.md, "Turning it on": what a release without device-bound sessions does beside this one.
import { credentials, deviceBound, getSession, getUser } from "@framework/auth";
import assert from "node:assert/strict";
import {
  createTestApplication,
  type TestApplication,
  visit,
} from "../../auth/tests/application.ts";
import { createDevice } from "../../auth/tests/device.ts";
import { worker } from "../storage/releases/version_3.js";

const LONG = "framework.session-token";

// Tracks: R181
Deno.test("a release without device-bound sessions takes the long cookie alone, and leaves the binding", async () => {
  const application = createTestApplication({
    now: Date.now,
    session: { updateAge: 0, deviceBound: deviceBound({ sendMail: () => {} }) },
    providers: [credentials({
      credentials: { name: { label: "Name", type: "text", required: true } },
      authorize: ({ name }) => Promise.resolve({ id: name! }),
    })],
  });
  const env = { DB: application.database, AUTH_SECRET: "0123456789abcdef0123456789abcdef" };
  const origin = "http://localhost";
  const before = (path: string, init: RequestInit = {}) =>
    worker.fetch(new Request(`${origin}${path}`, init), env);
  const page = () => new Response(`${getUser()?.id} ${getSession()?.bound}`);
  const seen = async (cookie: string) => await (await visit(application, page, { cookie })).text();

  // A live session of the release before: it goes on here, unbound, and no key is ever taken for it.
  const headers = { origin, "content-type": "application/json", accept: "application/json" };
  const signedIn = await before("/auth/signin/credentials", {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "eve" }),
  });
  assert.equal(signedIn.status, 200);
  assert.equal(signedIn.headers.has("secure-session-registration"), false);
  const old = await createDevice(application);
  const [line] = signedIn.headers.getSetCookie().filter((one) => one.startsWith(`${LONG}=`));
  old.jar.set(LONG, line!.slice(LONG.length + 1).split(";")[0]!);
  assert.equal(await seen(old.cookie()), "eve false");
  assert.equal((await old.ask("start", await old.prove("1.a"))).status, 400);
  assert.equal(await seen(old.cookie()), "eve false");

  // A bound session, and a copy of its long cookie, which opens nothing here after ten seconds, and there the session.
  const ada = await createDevice(application);
  await ada.signIn();
  assert.equal((await ada.register()).status, 200);
  assert.equal((await ada.refresh()).status, 200);
  const alone = `${LONG}=${ada.jar.get(LONG)}`;
  assert.equal(await seen(alone), "undefined undefined");
  assert.equal((await (await before("/page", { headers: { cookie: alone } })).json()).id, "ada");
  // That one has moved the end of the session, and its binding is still there.
  assert.equal(await seen(ada.cookie()), "ada true");
  assert.equal(await seen(alone), "undefined undefined");

  // A sign-out there ends it here, with its key.
  const out = await before("/auth/signout", {
    method: "POST",
    headers: { ...headers, cookie: alone },
  });
  assert.ok(out.status < 400);
  assert.equal(await seen(ada.cookie()), "undefined undefined");
  assert.equal((await ada.refresh()).status, 400);
  application.close();
});

// Tracks: R181
Deno.test("without the option again a bound session is an ordinary one", async () => {
  const bound = createTestApplication({
    session: { deviceBound: deviceBound({ sendMail: () => {} }) },
  });
  const { database } = bound;
  const plain: TestApplication = createTestApplication({ database });
  const ada = await createDevice(bound);
  await ada.signIn();
  await ada.register();
  const page = () => new Response(`${getUser()?.id} ${getSession()?.bound}`);
  const response = await visit(plain, page, { cookie: ada.cookie() });
  assert.equal(await response.text(), "ada undefined");
  bound.close();
  plain.close();
});
