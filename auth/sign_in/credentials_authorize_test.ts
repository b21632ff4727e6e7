import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { ForbiddenError, InvalidCredentialsError } from "../errors.ts";
import { credentials, type CredentialsConfig } from "./credentials.ts";
import { forApplications } from "../storage/sql_executor.ts";
import { sqlite } from "../storage/sqlite.ts";
import { createTestApplication, ORIGIN } from "../tests/application.ts";
import { createFaultyDatabase } from "../tests/faulty_database.ts";
import type { AuthContext } from "../types/application.ts";

const JSON_HEADERS = { accept: "application/json" };
const PATH = "/signin/credentials";

function withAuthorize(authorize: CredentialsConfig["authorize"]) {
  return createTestApplication({
    providers: [credentials({
      credentials: {
        name: { label: "Name", type: "text", required: true },
        nickname: { label: "Nickname", type: "text" },
      },
      authorize,
    })],
  });
}

// Tracks: R154, R152
Deno.test("authorize gets the declared fields as texts and nothing else", async () => {
  const seen: unknown[] = [];
  let context: AuthContext | undefined;
  const application = withAuthorize((values, given) => {
    seen.push(values);
    context = given;
    return Promise.resolve(null);
  });
  const json = JSON.parse('{"name":"a\\nb","extra":"x","__proto__":"x","role":"admin"}');
  await application.send(PATH, { json, headers: JSON_HEADERS });
  assert.deepEqual(seen, [{ name: "a\nb", nickname: "" }]);
  assert.deepEqual(context?.env, {});
  assert.equal(context?.request.url, `${ORIGIN}/auth${PATH}`);
  application.close();
});

Deno.test("authorize is not called when a required field is empty: 400", async () => {
  const application = withAuthorize(() => Promise.reject(new Error("called")));
  const json = await application.send(PATH, { json: { nickname: "x" }, headers: JSON_HEADERS });
  assert.equal(json.status, 400);
  const page = await application.send(PATH, { fields: { nickname: "x" } });
  assert.equal(page.status, 400);
  assert.match(await page.text(), /Fill in every required field/);
  application.close();
});

// Tracks: R023, GHSA-7rqj-j65f-68wh
Deno.test("authorize gets an address that is one, as it was checked; else 400 and the form again", async () => {
  const seen: unknown[] = [];
  const application = createTestApplication({
    providers: [credentials({
      credentials: {
        email: { label: "Email", type: "email", required: true },
        second: { label: "Second", type: "email" },
      },
      authorize(values) {
        seen.push(values);
        return Promise.resolve(null);
      },
    })],
  });
  for (const email of ["ada", "a@b,c@d.example", '"a@b"@c.example', "a@b.example\r\nx", " "]) {
    const json = await application.send(PATH, { json: { email }, headers: JSON_HEADERS });
    assert.deepEqual([json.status, (await json.json()).code], [400, "INVALID_EMAIL"], email);
    const page = await application.send(PATH, { fields: { email } });
    assert.equal(page.status, 400);
    assert.match(await page.text(), /Enter a whole email address/);
  }
  assert.deepEqual(seen, []);
  await application.send(PATH, { json: { email: " Ada\uff20b.example " }, headers: JSON_HEADERS });
  assert.deepEqual(seen, [{ email: "Ada@b.example", second: "" }]);
  application.close();
});

Deno.test("authorize is not called for values that are no texts: 400", async () => {
  const application = withAuthorize(() => Promise.reject(new Error("called")));
  for (const name of [1, true, null, ["ada"], { $ne: "" }]) {
    const response = await application.send(PATH, { json: { name }, headers: JSON_HEADERS });
    assert.deepEqual([response.status, (await response.json()).code], [400, "BAD_REQUEST"]);
  }
  application.close();
});

Deno.test("authorize may throw: the library's errors are answered, others pass to the host", async () => {
  const cases: [unknown, number][] = [
    [new InvalidCredentialsError(), 401],
    [new ForbiddenError("This account is locked"), 403],
  ];
  for (const [error, status] of cases) {
    const application = withAuthorize(() => Promise.reject(error));
    const response = await application.send(PATH, { json: { name: "a" }, headers: JSON_HEADERS });
    assert.equal(response.status, status);
    application.close();
  }
  const application = withAuthorize(() => Promise.reject(new Error("a defect")));
  await assert.rejects(application.send(PATH, { fields: { name: "a" } }), /a defect/);
  application.close();
});

Deno.test("authorize that returns no user is the application's mistake, not a sign-in", async () => {
  for (const user of [true, "ada", {}, { id: 5 }, { id: "" }]) {
    const application = withAuthorize(() => Promise.resolve(user as never));
    await assert.rejects(application.send(PATH, { fields: { name: "a" } }), /authorize\(\) gave/);
    assert.equal(
      application.database.sqlite.prepare("SELECT count(*) AS n FROM sessions").get()!.n,
      0,
    );
    application.close();
  }
});

// Tracks: OP-09
Deno.test("a query of authorize that the database does not answer is a 503, of D1 itself and of an adapter", async () => {
  const lost = "D1_ERROR: Network connection lost.";
  const application = withAuthorize(async () => {
    application.database.fail = lost;
    try {
      return await application.database.prepare("SELECT id FROM users").first<{ id: string }>();
    } finally {
      application.database.fail = undefined;
    }
  });
  const response = await application.send(PATH, { json: { name: "ada" }, headers: JSON_HEADERS });
  assert.equal(response.status, 503);
  assert.ok(Number(response.headers.get("retry-after")) > 0);
  application.close();

  using file = new DatabaseSync(":memory:");
  const faulty = createFaultyDatabase(sqlite(file));
  const database = forApplications(faulty);
  const adapted = withAuthorize(async () => {
    await database.prepare("SELECT ?1 AS id").bind("ada").first();
    return null;
  });
  faulty.faults.push({ when: "before", message: lost });
  const tried = await adapted.send(PATH, { json: { name: "ada" }, headers: JSON_HEADERS });
  assert.equal(tried.status, 401);
  faulty.faults.push(...Array(3).fill({ when: "before", message: lost }));
  const refused = await adapted.send(PATH, { json: { name: "ada" }, headers: JSON_HEADERS });
  assert.equal(refused.status, 503);
  adapted.close();
});
