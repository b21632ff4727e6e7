import { Buffer } from "node:buffer";
import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { ORIGIN } from "../programs/better_auth.ts";
import {
  type Act,
  type Acts,
  changed,
  cookiesOf,
  formRequest,
  PASSWORD,
  PLAIN_HASHER,
} from "./act.ts";

// What a careful programmer writes for one application and one job: the floor.

const TABLES = `CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT,
  password TEXT, verified INTEGER, totp BLOB, totp_step INTEGER NOT NULL DEFAULT 0);
CREATE TABLE sessions (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires INTEGER NOT NULL);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE TABLE tokens (hash TEXT PRIMARY KEY, purpose TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, expires INTEGER NOT NULL);
CREATE INDEX tokens_user ON tokens (user_id);
CREATE TABLE keys (id TEXT PRIMARY KEY, hash BLOB NOT NULL, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  revoked INTEGER);
CREATE TABLE members (team TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL, PRIMARY KEY (team, user_id));
CREATE INDEX members_user ON members (user_id);
CREATE TABLE invitations (hash TEXT PRIMARY KEY, team TEXT NOT NULL, email TEXT NOT NULL, role TEXT NOT NULL,
  invited_by TEXT NOT NULL, expires INTEGER NOT NULL);`;

const DAY = 86_400_000;
const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}

function cookieOf(request: Request, name: string): string {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (pair.slice(0, at).trim() === name) return pair.slice(at + 1);
  }
  return "";
}

/** The fields of a form of the own pages, of a bounded size; null for any other. */
async function formOf(request: Request): Promise<URLSearchParams | null> {
  if (request.headers.get("origin") !== ORIGIN) return null;
  if (Number(request.headers.get("content-length") ?? Infinity) > 65_536) return null;
  return new URLSearchParams(await request.text());
}

function answer(status: number): Response {
  return new Response(null, { status, headers: { "cache-control": "no-store" } });
}

function redirect(location: string, ...cookies: string[]): Response {
  const headers = new Headers({ location, "cache-control": "no-store" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

function setCookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; Secure; SameSite=Lax`;
}

interface Person {
  id: string;
  password: string;
}

function open() {
  const file = new DatabaseSync(":memory:");
  file.exec(`PRAGMA foreign_keys = ON; ${TABLES}`);
  const mails: string[] = [];
  const sql = {
    person: file.prepare("SELECT id, password FROM users WHERE email = ?1"),
    addPerson: file.prepare(
      "INSERT INTO users (id, email, name, password) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    ),
    addSession: file.prepare("INSERT INTO sessions VALUES (?1, ?2, ?3)"),
    session: file.prepare(`SELECT users.id, users.email, users.verified FROM sessions
      JOIN users ON users.id = sessions.user_id WHERE sessions.hash = ?1 AND sessions.expires > ?2`),
    addToken: file.prepare("INSERT INTO tokens VALUES (?1, ?2, ?3, ?4)"),
    takeToken: file.prepare(
      "DELETE FROM tokens WHERE hash = ?1 AND purpose = ?2 AND user_id = ?3 AND expires > ?4 RETURNING user_id",
    ),
    verify: file.prepare("UPDATE users SET verified = ?2 WHERE id = ?1"),
  };
  function transaction<T>(work: () => T): T {
    file.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      file.exec("COMMIT");
      return result;
    } catch (error) {
      file.exec("ROLLBACK");
      throw error;
    }
  }
  function beginSession(userId: string): string {
    const token = secret();
    sql.addSession.run(hashOf(token), userId, Date.now() + 30 * DAY);
    return setCookie("session", token, 30 * 86_400);
  }
  function userOf(request: Request) {
    const hash = hashOf(cookieOf(request, "session"));
    return sql.session.get(hash, Date.now()) as unknown as
      | { id: string; email: string; verified: number | null }
      | undefined;
  }

  async function signUp(request: Request): Promise<Response> {
    const form = await formOf(request);
    if (form === null) return answer(403);
    const email = (form.get("email") ?? "").trim().toLowerCase();
    const password = form.get("password") ?? "";
    if (!ADDRESS.test(email) || password.length < 8 || password.length > 1024) return answer(400);
    const hash = await PLAIN_HASHER.hash(password);
    const id = randomUUID();
    const token = secret();
    const cookie = transaction(() => {
      const { changes } = sql.addPerson.run(id, email, form.get("name"), hash);
      if (changes === 0) return null;
      sql.addToken.run(hashOf(token), "verify", id, Date.now() + DAY);
      return beginSession(id);
    });
    if (cookie === null) return answer(409);
    await Promise.resolve(mails.push(`${ORIGIN}/confirm?token=${token}`));
    return redirect("/", cookie);
  }

  return { file, mails, sql, transaction, beginSession, userOf, signUp };
}

let people = 0;

function newAddress(): string {
  return `ada${++people}@example.com`;
}

function signUpRequest(email: string): Request {
  return formRequest("/signup", { email, password: PASSWORD, name: "Ada" });
}

// deno-lint-ignore require-await -- as the other acts
async function signUp(): Promise<Act> {
  const { signUp, mails } = open();
  let last = "";
  return {
    // deno-lint-ignore require-await -- as the other acts
    async make() {
      const request = signUpRequest(last = newAddress());
      return () => signUp(request);
    },
    signsIn: true,
    wrong: {
      "an address that has an account": () => signUp(signUpRequest(last.toUpperCase())),
      "a password that is too short": () =>
        signUp(formRequest("/signup", { email: newAddress(), password: "short" })),
    },
    tidy: () => void (mails.length = 0),
  };
}

// deno-lint-ignore require-await -- as the other acts
async function verification(): Promise<Act> {
  const { signUp, mails, sql, transaction, userOf } = open();
  async function confirm(request: Request): Promise<Response> {
    const form = await formOf(request);
    if (form === null) return answer(403);
    const user = userOf(request);
    if (user === undefined) return answer(401);
    const hash = hashOf(form.get("token") ?? "");
    const isTaken = transaction(() => {
      if (sql.takeToken.get(hash, "verify", user.id, Date.now()) === undefined) return false;
      sql.verify.run(user.id, Date.now());
      return true;
    });
    return answer(isTaken ? 200 : 400);
  }
  async function begin(): Promise<[token: string, cookie: string]> {
    const response = await signUp(signUpRequest(newAddress()));
    return [new URL(mails.pop()!).searchParams.get("token")!, cookiesOf(response)];
  }
  const asked = (token: string, cookie: string) => formRequest("/confirm", { token }, cookie);
  return {
    async make() {
      const request = asked(...await begin());
      return () => confirm(request);
    },
    wrong: {
      async "a token that was changed"() {
        const [token, cookie] = await begin();
        return await confirm(asked(changed(token), cookie));
      },
      async "a used token"() {
        const given = await begin();
        await confirm(asked(...given));
        return await confirm(asked(...given));
      },
      async "a token in a browser that knows nothing of it"() {
        const [token] = await begin();
        return await confirm(asked(token, ""));
      },
    },
  };
}

function totp(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", key).update(counter).digest();
  const at = digest[19]! & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

async function factor(): Promise<Act> {
  let step = Math.floor(Date.now() / 30_000);
  const { signUp, file, sql, beginSession } = open();
  const email = newAddress();
  await signUp(signUpRequest(email));
  const key = randomBytes(20);
  file.prepare("UPDATE users SET totp = ?2 WHERE email = ?1").run(email, key);
  const waiting = file.prepare(
    "SELECT user_id FROM tokens WHERE hash = ?1 AND purpose = 'factor' AND expires > ?2",
  );
  const factorOf = file.prepare("SELECT totp FROM users WHERE id = ?1");
  const takeStep = file.prepare("UPDATE users SET totp_step = ?2 WHERE id = ?1 AND totp_step < ?2");

  async function signIn(request: Request): Promise<Response> {
    const form = await formOf(request);
    if (form === null) return answer(403);
    const address = (form.get("email") ?? "").trim().toLowerCase();
    const found = sql.person.get(address) as unknown as Person | undefined;
    const isRight = await PLAIN_HASHER.verify(form.get("password") ?? "", found?.password);
    if (!isRight || found === undefined) return answer(401);
    const token = secret();
    sql.addToken.run(hashOf(token), "factor", found.id, Date.now() + 600_000);
    return redirect("/second-factor", setCookie("waiting", token, 600));
  }
  async function second(request: Request): Promise<Response> {
    const form = await formOf(request);
    if (form === null) return answer(403);
    const hash = hashOf(cookieOf(request, "waiting"));
    const row = waiting.get(hash, Date.now()) as { "user_id": string } | undefined;
    if (row === undefined) return answer(401);
    const { user_id: userId } = row;
    const { totp: shared } = factorOf.get(userId) as { totp: Uint8Array };
    const given = Buffer.from((form.get("code") ?? "").padEnd(6).slice(0, 6));
    const found = [step, step - 1, step + 1].find((one) =>
      timingSafeEqual(Buffer.from(totp(shared, one)), given)
    );
    // Neither a code nor a step before it opens anything again.
    if (found === undefined || takeStep.run(userId, found).changes === 0) return answer(401);
    if (sql.takeToken.get(hash, "factor", userId, Date.now()) === undefined) return answer(401);
    return redirect("/", setCookie("waiting", "", 0), beginSession(userId));
  }
  async function whole(code: string): Promise<Response> {
    const begun = await signIn(formRequest("/signin", { email, password: PASSWORD }));
    return await second(formRequest("/second-factor", { code }, cookiesOf(begun)));
  }
  let used = "";
  let made = step;
  return {
    // deno-lint-ignore require-await -- as the other acts
    async make() {
      const at = ++made;
      const code = totp(key, at);
      return () => {
        step = at;
        return whole(used = code);
      };
    },
    signsIn: true,
    wrong: {
      "a wrong code": () => whole(changed(totp(key, step + 1))),
      "a used code": () => whole(used),
    },
  };
}

// deno-lint-ignore require-await -- as the other acts
async function key(): Promise<Act> {
  const { file, sql } = open();
  sql.addPerson.run("ada", "ada@example.com", "Ada", null);
  const add = file.prepare("INSERT INTO keys VALUES (?1, ?2, 'ada', ?3)");
  const find = file.prepare(
    `SELECT keys.hash, users.id, users.name FROM keys JOIN users ON users.id = keys.user_id
    WHERE keys.id = ?1 AND keys.revoked IS NULL`,
  );
  const digest = (text: string) => createHash("sha256").update(text).digest();
  function create(revoked: number | null): string {
    const [id, shared] = [randomUUID(), secret()];
    add.run(id, digest(shared), revoked);
    return `acme_live_${id}_${shared}`;
  }
  // deno-lint-ignore require-await -- as a guard is asked
  async function guard(request: Request): Promise<Response> {
    const [, id, shared] = /^Bearer acme_live_([0-9a-f-]{36})_([\w-]{43})$/.exec(
      request.headers.get("authorization") ?? "",
    ) ?? [];
    if (id === undefined) return answer(401);
    const row = find.get(id) as { hash: Uint8Array } | undefined;
    if (row === undefined || !timingSafeEqual(row.hash, digest(shared!))) return answer(401);
    return answer(200);
  }
  const made = create(null);
  const revoked = create(1);
  const requestWith = (key: string) =>
    new Request(`${ORIGIN}/api`, { headers: { authorization: `Bearer ${key}` } });
  return {
    // deno-lint-ignore require-await -- as the other acts
    async make() {
      const request = requestWith(made);
      return () => guard(request);
    },
    wrong: {
      "a key that was changed": () => guard(requestWith(changed(made))),
      "a revoked key": () => guard(requestWith(revoked)),
    },
  };
}

// deno-lint-ignore require-await -- as the other acts
async function invitation(): Promise<Act> {
  const { file, sql, transaction, beginSession, userOf } = open();
  const invite = file.prepare(
    "INSERT INTO invitations VALUES (?1, 'acme', ?2, 'member', 'owner', ?3)",
  );
  const roleOf = file.prepare("SELECT role FROM members WHERE team = ?1 AND user_id = ?2");
  const read = file.prepare(
    "SELECT team, email, role, invited_by FROM invitations WHERE hash = ?1 AND expires > ?2",
  );
  const take = file.prepare("DELETE FROM invitations WHERE hash = ?1");
  const join = file.prepare("INSERT INTO members VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING");
  const forget = file.prepare("DELETE FROM users WHERE id <> 'owner'");
  sql.addPerson.run("owner", "owner@example.com", "Owner", null);
  join.run("acme", "owner", "owner");
  join.run("other", "owner", "owner");

  async function accept(request: Request): Promise<Response> {
    const form = await formOf(request);
    if (form === null) return answer(403);
    const user = userOf(request);
    if (user === undefined) return answer(401);
    const hash = hashOf(form.get("token") ?? "");
    return transaction(() => {
      const found = read.get(hash, Date.now()) as unknown as
        | { team: string; email: string; role: string; "invited_by": string }
        | undefined;
      if (found === undefined) return answer(400);
      // Whoever invited must still be one who may.
      const by = roleOf.get(found.team, found.invited_by) as { role: string } | undefined;
      if (by?.role !== "owner") return answer(400);
      if (found.email !== user.email || user.verified === null) return answer(403);
      if (take.run(hash).changes === 0) return answer(400);
      join.run(found.team, user.id, found.role);
      return redirect(`/team?team=${found.team}`);
    });
  }
  function person(): { id: string; email: string; cookie: string } {
    const email = newAddress();
    const id = randomUUID();
    sql.addPerson.run(id, email, "Ada", null);
    sql.verify.run(id, Date.now());
    return { id, email, cookie: beginSession(id).split(";")[0]! };
  }
  function tokenFor(email: string, expires = Date.now() + DAY): string {
    const token = secret();
    invite.run(hashOf(token), email, expires);
    return token;
  }
  const asked = (token: string, cookie: string) => formRequest("/join", { token }, cookie);
  return {
    // deno-lint-ignore require-await -- as the other acts
    async make() {
      const { email, cookie } = person();
      const request = asked(tokenFor(email), cookie);
      return () => accept(request);
    },
    wrong: {
      "a token that was changed"() {
        const { email, cookie } = person();
        return accept(asked(changed(tokenFor(email)), cookie));
      },
      async "a used invitation"() {
        const { email, cookie } = person();
        const token = tokenFor(email);
        await accept(asked(token, cookie));
        return await accept(asked(token, cookie));
      },
      "an ended invitation"() {
        const { email, cookie } = person();
        return accept(asked(tokenFor(email, Date.now() - 1), cookie));
      },
      "the invitation of somebody else"() {
        return accept(asked(tokenFor(person().email), person().cookie));
      },
      async "an invitation as one to another team"() {
        const { id, email, cookie } = person();
        await accept(asked(tokenFor(email), cookie));
        const isThere = roleOf.get("acme", id) !== undefined;
        const isElsewhere = roleOf.get("other", id) !== undefined;
        return answer(isThere && !isElsewhere ? 403 : 200);
      },
    },
    tidy: () => void forget.run(),
  };
}

/** The acts in applications of which each is written for one of them alone. */
export const handActs: Acts = {
  "sign-up": signUp,
  "verification of an address": verification,
  "sign-in with a second factor": factor,
  "check of an API key": key,
  "acceptance of an invitation": invitation,
};
