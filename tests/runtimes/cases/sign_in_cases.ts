import { createUser, getUser, requireAuth, startSession, UserExistsError } from "@framework/auth";
import assert from "node:assert/strict";
import { cookieOf, createApplication, sessionLines } from "../application.ts";
import type { Case } from "../behaviour.ts";

const SIGN_IN = "/auth/signin/credentials";
const JSON_ACCEPT = { accept: "application/json" };

/** Cases about sign-in, sign-up and their bodies. */
export const SIGN_IN_CASES: Record<string, Case> = {
  "sign-in answers a form with 303, one cookie and no-store": async (world) => {
    const application = await createApplication(world);
    const fields = { name: "ada", password: "right", callbackUrl: "/dashboard?tab=1" };
    const response = await application.send(SIGN_IN, { fields });
    assert.equal(response.status, 303);
    assert.equal(response.headers.get("location"), "https://app.example/dashboard?tab=1");
    assert.equal(response.headers.get("cache-control"), "no-store");
    const lines = sessionLines(response);
    assert.equal(lines.length, 1);
    const [pair, ...attributes] = lines[0]!.split("; ");
    assert.match(pair!, /^framework\.session-token=[\w-]{43}$/);
    return attributes;
  },
  "sign-in answers JSON with user, expires and redirectTo": async (world) => {
    const application = await createApplication(world);
    const json = { name: "ada", password: "right" };
    const response = await application.send(SIGN_IN, { json, headers: JSON_ACCEPT });
    assert.equal(response.status, 200);
    const body = await response.json();
    assert.equal(body.user.id, "ada");
    return body;
  },
  "a wrong password is a 401 without a cookie, as JSON and as a page": async (world) => {
    const application = await createApplication(world);
    const fields = { name: "ada", password: "mistyped" };
    const json = await application.send(SIGN_IN, { fields, headers: JSON_ACCEPT });
    const page = await application.send(SIGN_IN, { fields, headers: { accept: "text/html" } });
    assert.deepEqual([json.status, page.status], [401, 401]);
    assert.equal((await json.clone().json()).code, "INVALID_CREDENTIALS");
    assert.deepEqual([...json.headers.getSetCookie(), ...page.headers.getSetCookie()], []);
    const html = await page.text();
    assert.match(html, /aria-invalid="true"/);
    assert.equal(html.includes("mistyped"), false, "a password is never shown again");
    return [await json.json(), html];
  },
  // Tracks: R082, R074, F30
  "every body that is none is refused with the same status": async (world) => {
    const application = await createApplication(world);
    const form = "application/x-www-form-urlencoded";
    const bodies: [string, string, BodyInit][] = [
      ["form", form, "name=ada&password=right"],
      ["form with a charset", `${form};charset=UTF-8`, "name=ada&password=right"],
      ["upper-case type", form.toUpperCase(), "name=ada&password=right"],
      ["empty", form, ""],
      ["twice the same field", form, "name=ada&name=eve&password=right"],
      ["bad percent", form, "name=%&password=%zz"],
      ["no UTF-8", form, new Uint8Array([0x6e, 0x3d, 0xff, 0xfe])],
      ["JSON that is none", "application/json", "{"],
      ["JSON list", "application/json", '["ada"]'],
      ["JSON null", "application/json", "null"],
      ["JSON number", "application/json", '{"name":"ada","password":5}'],
      ["JSON object", "application/json", '{"name":{"$ne":""},"password":"right"}'],
      ["deep JSON", "application/json", "[".repeat(10_000) + "]".repeat(10_000)],
      ["JSON in a text", "text/plain", '{"name":"ada","password":"right"}'],
      ["multipart", "multipart/form-data; boundary=x", "--x--"],
      ["no type", "", "name=ada&password=right"],
      ["32 KiB and one byte", form, `name=ada&password=${"x".repeat(32 * 1024)}`],
      ["1 MiB", form, new Uint8Array(1024 * 1024)],
    ];
    const verdicts: [string, number][] = [];
    for (const [what, type, body] of bodies) {
      const response = await application.send(SIGN_IN, { body, headers: { "content-type": type } });
      await response.text();
      verdicts.push([what, response.status]);
      assert.equal(response.headers.get("cache-control"), "no-store", what);
      assert.equal(sessionLines(response).length, response.status === 303 ? 1 : 0, what);
    }
    assert.deepEqual(verdicts.filter(([, status]) => status >= 500), []);
    return verdicts;
  },
  // Tracks: R033, CVE-2022-25896, CVE-2023-29019, CVE-2021-41246
  "sign-in always makes a new session and ends the one that the browser had": async (world) => {
    const application = await createApplication(world);
    const first = await application.signIn();
    const fields = { name: "ada", password: "right" };
    const second = cookieOf(await application.send(SIGN_IN, { fields, cookie: first }));
    assert.notEqual(first, second);
    assert.equal(await (await application.send("/auth/session", { cookie: first })).json(), null);
    const session = await (await application.send("/auth/session", { cookie: second })).json();
    assert.equal(session.user.id, "ada");
  },
  "createUser() and startSession() sign a new user up in one request": async (world) => {
    const application = await createApplication(world);
    const response = await application.visit(async () => {
      await createUser({ id: "ada", email: "Ada@Example.com", name: "Ada" });
      assert.equal(getUser(), null);
      await startSession("ada");
      return Response.json(requireAuth());
    }, { method: "POST" });
    const seen = await (await application.send("/auth/session", { cookie: cookieOf(response) }))
      .json();
    assert.equal(seen.user.email, "Ada@Example.com");
    return [await response.json(), seen];
  },
  // Tracks: F08
  "of 20 sign-ups for one mailbox one succeeds": async (world) => {
    const application = await createApplication(world);
    const outcomes = await Promise.all(Array.from({ length: 20 }, async (_, index) => {
      const response = await application.visit(async () => {
        try {
          await createUser({
            id: `user${index}`,
            email: index % 2 ? "A@x.example" : "a@x.example",
          });
          return new Response("made");
        } catch (error) {
          assert.ok(error instanceof UserExistsError, String(error));
          return new Response("exists");
        }
      }, { method: "POST" });
      return await response.text();
    }));
    assert.deepEqual(outcomes.sort(), [...Array(19).fill("exists"), "made"]);
  },
};
