import assert from "node:assert/strict";
import { secondFactor } from "../sign_in/second_factor/provider.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { cookieOf } from "../tests/application.ts";
import { createFaultyDatabase, type FaultyDatabase } from "../tests/faulty_database.ts";
import { createTeamApplication, type TeamApplication } from "../tests/team_application.ts";

const INVITED = "grace@example.com";

type Who = "a newcomer" | "a user with an unproved address" | "a user with a proved address";
const EVERYBODY: readonly Who[] = [
  "a newcomer",
  "a user with an unproved address",
  "a user with a proved address",
];

type Options = NonNullable<Parameters<typeof createTeamApplication>[0]>;

/** An invitation that waits for its answer. */
interface Invited {
  application: TeamApplication;
  /** Presses the button, with the cookie of before or another one. */
  accept(cookie?: string): Promise<Response>;
  /** Id of the user with the invited address; null for nobody. */
  userId(): string | null;
  /** Roles of that user in the team; null for none. */
  roles(): Promise<string[] | null>;
  /** Number of rows. */
  count(table: string): number;
}

async function inviteSomebody(who: Who, options: Options = {}): Promise<Invited> {
  const application = await createTeamApplication(options);
  const { database: { sqlite }, send } = application;
  const isUser = who !== "a newcomer";
  if (isUser) {
    await application.addUser("grace", { proved: who === "a user with a proved address" });
  }
  const cookie = isUser ? await application.enter("grace") : "";
  const token = await application.invite(INVITED);
  const invited: Invited = {
    application,
    accept: (other = cookie) =>
      send("/team/join", { fields: { token }, ...other !== "" && { cookie: other } }),
    userId() {
      const found = sqlite.prepare("SELECT id FROM users WHERE email_identity = ?").all(INVITED);
      assert.ok(found.length < 2);
      return found[0]?.id as string ?? null;
    },
    async roles() {
      const id = invited.userId();
      return id === null ? null : await application.rolesOf(id);
    },
    count: (table) => sqlite.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n as number,
  };
  return invited;
}

/** A database that does something before each of its statements. */
function interrupted(
  inner: SqlDatabase,
  before: (sql: string) => Promise<void> | void,
): SqlDatabase {
  type Statement = ReturnType<SqlDatabase["prepare"]>;
  const inners = new WeakMap<Statement, Statement>();
  function wrap(sql: string, statement: Statement): Statement {
    const wrapped: Statement = {
      bind: (...values) => wrap(sql, statement.bind(...values)),
      first: async <T>() => (await before(sql), await statement.first<T>()),
      all: async <T>() => (await before(sql), await statement.all<T>()),
      run: async () => (await before(sql), await statement.run()),
    };
    inners.set(wrapped, statement);
    return wrapped;
  }
  return {
    prepare: (sql) => wrap(sql, inner.prepare(sql)),
    async batch(statements) {
      await before("");
      return await inner.batch(statements.map((one) => inners.get(one)!));
    },
  };
}

/** Follows the link again after a fault: as whoever the browser is, else by a sign-in where there is an account. */
async function acceptAgain(
  { application, accept, userId }: Invited,
  first: Response | null,
): Promise<Response> {
  const again = await accept(first === null ? undefined : cookieOf(first) || undefined);
  if (again.status !== 403) return again;
  return await accept(await application.enter(userId()!));
}

// Tracks: R182, OP-15
for (const who of EVERYBODY) {
  Deno.test(`a database that fails at any statement of an acceptance keeps nobody out who follows the link again (${who})`, async () => {
    for (const when of ["before", "after"] as const) {
      let consumed = true;
      for (let good = 0; consumed; good++) {
        const cell = `${when} statement ${good + 1}`;
        let faulty: FaultyDatabase | undefined;
        const wrap = (inner: SqlDatabase) => faulty = createFaultyDatabase(inner);
        const invited = await inviteSomebody(who, { wrap });
        faulty!.faults.push(
          ...Array.from({ length: good }, () => ({ when: "never", message: "" }) as const),
          { when, message: "broken" },
        );
        const first = await invited.accept().catch(() => null);
        consumed = faulty!.faults.length === 0;
        faulty!.faults.length = 0;
        const isOpen = invited.count("tenant_invitations") === 1;
        // An answer that was lost has let in.
        if (!isOpen) assert.deepEqual(await invited.roles(), ["editor"], cell);
        const again = await acceptAgain(invited, first);
        assert.equal(again.status < 400, isOpen, `${cell}: ${again.status}`);
        assert.deepEqual(await invited.roles(), ["editor"], cell);
        assert.equal(invited.count("tenant_invitations"), 0, cell);
        assert.equal(invited.count("tenant_members"), 2, cell);
        invited.application.close();
      }
    }
  });

  // Tracks: R182
  Deno.test(`an invitation that is revoked at any statement of its acceptance is revoked, or accepted, and whoever revokes it is told (${who})`, async () => {
    const outcomes = new Set<boolean>();
    let consumed = true;
    for (let good = 0; consumed; good++) {
      let pending: (() => Promise<void>) | undefined;
      let left = -1;
      const wrap = (inner: SqlDatabase) =>
        interrupted(inner, async () => {
          if (left-- !== 0) return;
          await pending!();
          pending = undefined;
        });
      const invited = await inviteSomebody(who, { wrap });
      const { application } = invited;
      const owner = await application.enter("ada");
      const { id } = application.database.sqlite.prepare("SELECT id FROM tenant_invitations")
        .get()!;
      let isRevoked: boolean | undefined;
      pending = async () => {
        const fields = { id: id as string };
        const answer = await application.post("/invitations/revoke", owner, fields);
        isRevoked = answer.headers.get("location")!.includes("done=revoked");
      };
      left = good;
      const answer = await invited.accept();
      consumed = pending === undefined;
      const cell = `before statement ${good + 1}: ${answer.status}`;
      assert.equal(answer.status, isRevoked ? 400 : who === EVERYBODY[1] ? 200 : 303, cell);
      assert.deepEqual(await invited.roles(), isRevoked ? null : ["editor"], cell);
      if (isRevoked && who === "a newcomer") assert.equal(invited.userId(), null, cell);
      assert.equal(invited.count("tenant_invitations"), 0, cell);
      if (isRevoked !== undefined) outcomes.add(isRevoked);
      application.close();
    }
    assert.equal(outcomes.size, 2);
  });
}

// Tracks: R182
Deno.test("of 100 that accept one invitation in one account at once, all end as one membership, and nobody is told that they joined who is no member", async () => {
  const invited = await inviteSomebody("a user with a proved address");
  const answers = await Promise.all(Array.from({ length: 100 }, () => invited.accept()));
  const joined = answers.filter(({ status }) => status === 303).length;
  assert.ok(joined === 1 || joined === 2, String(joined));
  assert.ok(answers.every(({ status }) => status === 303 || status === 400));
  assert.deepEqual(await invited.roles(), ["editor"]);
  assert.equal(invited.count("tenant_members"), 2);
  assert.equal(invited.count("tenant_invitations"), 0);
  assert.equal(invited.application.told.filter(({ type }) => type === "member-added").length, 1);
  invited.application.close();
});

// Tracks: R170, R182
Deno.test("a link holds where the application's own required() fails, and opens for the account that there is then", async () => {
  let fails = false;
  const invited = await inviteSomebody("a newcomer", {
    secret: "s".repeat(32),
    providers: [secondFactor({
      sendMail() {},
      required() {
        if (fails) throw new TypeError("boom");
        return false;
      },
    })],
  });
  fails = true;
  await assert.rejects(invited.accept(), /boom/);
  assert.notEqual(invited.userId(), null);
  assert.equal(invited.count("sessions"), 1); // the inviter's
  fails = false;
  assert.equal((await acceptAgain(invited, null)).status, 303);
  assert.deepEqual(await invited.roles(), ["editor"]);
  assert.equal((await invited.accept()).status, 400);
  invited.application.close();
});

// Tracks: R182, OP-15
Deno.test("an account whose membership cannot be stored is told of, has no session, and joins by the link that it signs in for", async () => {
  let fails = false;
  const wrap = (inner: SqlDatabase) =>
    interrupted(inner, (sql) => {
      if (fails && /INSERT INTO tenant_members/.test(sql)) throw new Error("broken");
    });
  const invited = await inviteSomebody("a newcomer", { wrap });
  fails = true;
  const first = await invited.accept();
  assert.equal(first.status, 503);
  assert.equal(cookieOf(first), "");
  assert.equal(invited.count("sessions"), 1); // the inviter's
  const told = () =>
    invited.application.told
      .filter((event) => "userId" in event && event.userId === invited.userId())
      .map(({ type }) => type);
  assert.deepEqual(told(), ["sign-up"]);
  // As often as it fails.
  assert.equal((await acceptAgain(invited, first)).status, 503);
  fails = false;
  assert.equal((await acceptAgain(invited, first)).status, 303);
  assert.equal(told().filter((type) => type === "member-added").length, 1);
  invited.application.close();
});
