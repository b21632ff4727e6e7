import assert from "node:assert/strict";
import { jwtSessions } from "../../app/jwt_sessions.ts";
import { createSqlRevocationStore } from "../../storage/revocations.ts";
import { createD1Double } from "../../tests/d1_double.ts";
import { during, userAt } from "../../tests/during.ts";
import {
  cheapHasher,
  everyCookie,
  PASSWORD,
  withPasswords,
} from "../../tests/password_application.ts";
import { SECRET } from "../../tests/token_application.ts";
import { startSession } from "../../session/operations.ts";
import { endSessions } from "../../session/user_sessions.ts";

const NEW = "another sentence of mine";

// Tracks: R046, R165
Deno.test("a change takes a fresh sign-in, keeps this session alone, and tells the owner", async () => {
  for (const kind of ["database", "jwt"] as const) {
    const database = createD1Double();
    const session = kind === "database"
      ? {}
      : { strategy: jwtSessions, revocation: createSqlRevocationStore(database) };
    await withPasswords(
      async ({ join, send, byPassword, auth, clock, outbox, told, settle }) => {
        await join("ada@example.com");
        const other = everyCookie(await byPassword("ada@example.com", PASSWORD));
        clock.now += 2000;
        const own = everyCookie(await byPassword("ada@example.com", PASSWORD));
        const page = await (await send("/account/password", { cookie: own })).text();
        assert.match(page, /Choose a new password/);
        assert.match(page, /action="\/auth\/account\/password"/);
        told.length = 0;
        const short = await send("/account/password", {
          fields: { password: "short" },
          cookie: own,
        });
        assert.equal(short.status, 400);
        const response = await send("/account/password", {
          fields: { password: NEW },
          cookie: own,
        });
        assert.equal(response.status, 303);
        const kept = everyCookie(response).includes("session-token") ? everyCookie(response) : own;
        assert.notEqual(await userAt({ auth }, kept), null);
        assert.equal(await userAt({ auth }, other), null, kind);
        await settle();
        assert.deepEqual(told.map(({ type }) => type), ["password-changed"]);
        assert.deepEqual([outbox.at(-1)!.kind, outbox.at(-1)!.to], [
          "password-changed",
          "ada@example.com",
        ]);
        clock.now += 2000;
        assert.equal((await byPassword("ada@example.com", PASSWORD)).status, 401);
        assert.equal((await byPassword("ada@example.com", NEW)).status, 303);
        clock.now += 11 * 60_000;
        for (const method of ["GET", "POST"]) {
          const stale = await send("/account/password", {
            method,
            cookie: kept,
            ...method === "POST" && { fields: { password: "a third sentence of mine" } },
          });
          const location = new URL(stale.headers.get("location")!);
          assert.equal(location.pathname, "/auth/signin");
          assert.equal(location.searchParams.get("error"), "REAUTHENTICATION_REQUIRED");
        }
        const json = await send("/account/password", {
          json: { password: "a third sentence of mine" },
          headers: { accept: "application/json" },
          cookie: kept,
        });
        assert.deepEqual([json.status, (await json.json()).code], [
          401,
          "REAUTHENTICATION_REQUIRED",
        ]);
        const nobody = await send("/account/password", {
          json: { password: "a third sentence of mine" },
          headers: { accept: "application/json" },
        });
        assert.equal(nobody.status, 401);
        assert.equal((await byPassword("ada@example.com", NEW)).status, 303);
      },
      {},
      { database, secret: SECRET, session, rateLimit: false },
    );
    database.close();
  }
});

Deno.test("who signed up without a password sets a first one, and needs an address for it", () =>
  withPasswords(async ({ database, auth, send, byPassword, rows, clock }) => {
    database.sqlite.exec(`
      INSERT INTO users (id, email, email_identity, email_verified)
        VALUES ('ada', 'ada@example.com', 'ada@example.com', 1);
      INSERT INTO users (id, email) VALUES ('kept', 'kept@example.com');
      INSERT INTO users (id) VALUES ('bare');
    `);
    for (const [id, status] of [["ada", 303], ["kept", 400], ["bare", 400]] as const) {
      const { cookies } = await during(
        { auth },
        undefined,
        async () => void await startSession(id),
      );
      const cookie = cookies.map((line) => line.split(";")[0]).join("; ");
      const response = await send("/account/password", { fields: { password: NEW }, cookie });
      assert.equal(response.status, status, id);
      if (status === 400) {
        assert.match(await response.text(), /Add an email address to your account/);
      }
    }
    assert.deepEqual(rows("password_hashes").map(({ user_id }) => user_id), ["ada"]);
    clock.now += 1000;
    assert.equal((await byPassword("ada@example.com", NEW)).status, 303);
  }));

// Tracks: R162
Deno.test("a change by whoever made an account ends when its owner proves the address meanwhile", () =>
  withPasswords(async ({ signUp, send, database, rows }) => {
    const cookie = everyCookie(await signUp("ada@example.com"));
    database.sqlite.exec("UPDATE users SET email_verified = 1");
    // The session was read before the proof; what the proof ended is not brought back by the change.
    database.sqlite.exec("DELETE FROM sessions; DELETE FROM password_hashes");
    const late = await send("/account/password", {
      json: { password: NEW },
      headers: { accept: "application/json" },
      cookie,
    });
    assert.equal(late.status, 401);
    assert.deepEqual(rows("password_hashes"), []);
  }, { verification: "later" }));

// Tracks: R046, R165
Deno.test("a change by a stolen session stores nothing when its owner sets a password, or signs out everywhere, while it is hashed", async () => {
  for (const kind of ["database", "jwt"] as const) {
    for (const way of ["reset", "sign-out"] as const) {
      const database = createD1Double();
      const session = kind === "database"
        ? {}
        : { strategy: jwtSessions, revocation: createSqlRevocationStore(database) };
      const own = cheapHasher();
      const entered = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      const THIEF = "what the thief would choose";
      const hasher = {
        ...own,
        async hash(password: string) {
          if (password === THIEF) {
            entered.resolve();
            await gate.promise;
          }
          return await own.hash(password);
        },
      };
      await withPasswords(
        async ({ join, send, byPassword, askReset, auth, clock, rows }) => {
          await join("ada@example.com");
          clock.now += 5000;
          const stolen = everyCookie(await byPassword("ada@example.com", PASSWORD));
          const token = await askReset("ada@example.com");
          clock.now += 1000;
          const change = send("/account/password", {
            json: { password: THIEF },
            headers: { accept: "application/json" },
            cookie: stolen,
          });
          await entered.promise;
          clock.now += 1000;
          if (way === "reset") {
            assert.equal((await send("/reset", { fields: { token, password: NEW } })).status, 303);
          } else {
            const id = rows("users")[0]!.id as string;
            await during({ auth }, undefined, () => endSessions(id));
          }
          const before = rows("password_hashes");
          clock.now += 1000;
          gate.resolve();
          const refused = await change;
          assert.equal(refused.status, 401, `${kind}, ${way}`);
          assert.deepEqual(rows("password_hashes"), before);
          assert.equal(await userAt({ auth }, stolen), null);
          assert.equal((await byPassword("ada@example.com", THIEF)).status, 401);
          const right = way === "reset" ? NEW : PASSWORD;
          assert.equal((await byPassword("ada@example.com", right)).status, 303);
        },
        { hasher },
        { database, secret: SECRET, session, rateLimit: false },
      );
      database.close();
    }
  }
});

// Tracks: R165, R030
Deno.test("a change by a thief ends the owner's links of before, and the owner takes the account back with the next one", () =>
  withPasswords(async ({ join, send, askReset, byPassword, auth, settle, outbox, clock }) => {
    const thief = await join("ada@example.com");
    const before = await askReset("ada@example.com");
    clock.now += 1000;
    const change = (cookie: string, password: string, clientAddress = "192.0.2.1") =>
      send("/account/password", { fields: { password }, cookie, info: { clientAddress } });
    assert.equal((await change(thief, "a sentence of the thief")).status, 303);
    const reset = (token: string) => send("/reset", { fields: { token, password: NEW } });
    assert.equal((await reset(before)).status, 400);
    await settle();
    assert.equal(outbox.at(-1)!.kind, "password-changed");
    // Whoever goes on so, from wherever, has soon done it as often as an account may.
    const statuses = [];
    for (let index = 0; index < 20; index++) {
      clock.now += 10_000;
      statuses.push(
        (await change(thief, `sentence ${index} of the thief`, `198.51.100.${index}`)).status,
      );
    }
    assert.deepEqual(statuses, [...Array(4).fill(303), ...Array(16).fill(429)]);
    const token = await askReset("ada@example.com");
    clock.now += 10_000;
    assert.equal((await change(thief, "one more of the thief", "203.0.113.9")).status, 429);
    assert.equal((await reset(token)).status, 303);
    assert.equal(await userAt({ auth }, thief), null);
    clock.now += 2000;
    assert.equal((await byPassword("ada@example.com", NEW)).status, 303);
    assert.equal((await byPassword("ada@example.com", "sentence 3 of the thief")).status, 401);
  }));

// Tracks: R162
Deno.test("who has proved the address by a mail sets a password in the place of the one that ended", () =>
  withPasswords(async ({ database, auth, send, byPassword, join, rows }) => {
    await join("ada@example.com");
    // As the first proof of an address leaves it.
    database.sqlite.exec(
      "UPDATE users SET credentials_after = 8640000000000000; DELETE FROM password_hashes",
    );
    const id = rows("users")[0]!.id as string;
    const { cookies } = await during({ auth }, undefined, async () => void await startSession(id));
    const cookie = cookies.map((line) => line.split(";")[0]).join("; ");
    const response = await send("/account/password", { fields: { password: NEW }, cookie });
    assert.equal(response.headers.get("location"), "https://app.example/");
    assert.equal((await byPassword("ada@example.com", NEW)).status, 303);
  }));
