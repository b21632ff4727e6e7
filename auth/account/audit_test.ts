import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createAuth } from "../app/create_auth.ts";
import { currentRequest } from "../core/request.ts";
import { ConfigurationError, RequestError } from "../errors.ts";
import { setActor } from "../session/actor.ts";
import { createUser, deleteUser, disableUser, enableUser, setUserRoles } from "../session/users.ts";
import { startSession } from "../session/operations.ts";
import { auditGroup } from "../storage/audit.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { authSchema } from "../storage/schema.ts";
import { sqlite } from "../storage/sqlite.ts";
import { groupOf } from "../storage/storage.ts";
import { cookieOf, createTestApplication, passwordProvider } from "../tests/application.ts";
import { during } from "../tests/during.ts";
import type { AuthEvent } from "../types/events.ts";
import { accountPage } from "./page.ts";
import {
  auditLog,
  type AuditLogOptions,
  auditTrail,
  type AuditTrailOptions,
  exportAuditLog,
  sealAuditLog,
} from "./audit.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1, 22);

const PAGE = await Deno.readTextFile(new URL("../../docs/administration.md", import.meta.url));
const [, SCRIPT] = /```sh\n(# verify\.sh[\s\S]*?)```/.exec(PAGE)!;

/** A trail over SQLite, with a clock and what was told. */
function createTrail(options: AuditTrailOptions = {}) {
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  const clock = { now: START };
  const told: AuthEvent[] = [];
  const pending: Promise<unknown>[] = [];
  const auth = createAuth({
    database: sqlite(file),
    now: () => clock.now,
    logger: { info() {}, warn() {}, error() {} },
    events: { "*": (event) => void told.push(event) },
    providers: [auditTrail(options)],
  });

  /** Runs work in a request, and waits for what it does not wait for. */
  async function within<Result>(
    work: () => Promise<Result>,
    headers: Record<string, string> = {},
  ): Promise<Result> {
    let result: Result;
    const info = {
      clientAddress: "192.0.2.77",
      waitUntil: (promise: Promise<unknown>) => void pending.push(promise),
    };
    const request = new Request("http://localhost/", { method: "POST", headers });
    const response = await auth.run(request, {}, info, async () => {
      result = await work();
      return new Response();
    });
    // It answers errors of the library that the work throws.
    assert.equal(response.status, 200, await response.text());
    while (pending.length > 0) await Promise.all(pending.splice(0));
    return result!;
  }

  return { auth, file, clock, told, within };
}

const entriesOf = async (options: AuditLogOptions = {}) => (await auditLog(options)).entries;

type Trail = ReturnType<typeof createTrail>;

/** Days of changes: an hour with several, one with one, an empty one, and another day. */
async function fill({ clock, within }: Trail): Promise<void> {
  for (const id of ["ada", "eve", "mallory"]) {
    await within(() => createUser({ id, name: `${id} "Ü"`, email: `${id}@example.com` }));
  }
  clock.now += HOUR;
  await within(() => disableUser("eve"));
  clock.now += 3 * HOUR;
  await within(() => setUserRoles("ada", { roles: ["editor"] }));
  await within(() => enableUser("eve"));
  clock.now += 2 * HOUR;
  await within(() => sealAuditLog());
}

async function exported({ within }: Trail, options = {}): Promise<string> {
  return await within(() => new Response(exportAuditLog(options)).text());
}

/** Runs the documented script, with tools that are not ours. */
async function verify(text: string, ...kept: string[]): Promise<{ ok: boolean; said: string }> {
  const path = await Deno.makeTempFile();
  await Deno.writeTextFile(path, text);
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", SCRIPT!, "verify.sh", path, ...kept],
  }).output();
  await Deno.remove(path);
  const decoder = new TextDecoder();
  return { ok: success, said: (decoder.decode(stdout) + decoder.decode(stderr)).trim() };
}

// Tracks: R187
Deno.test("a change of a user and its entry are stored together, or neither", async () => {
  const trail = createTrail();
  const { file, within } = trail;
  await within(() => createUser({ id: "ada", name: "Ada" }));
  const before = JSON.stringify(file.prepare("SELECT * FROM users").all());
  file.exec(
    "CREATE TRIGGER stop BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'no'); END",
  );
  for (
    const change of [
      () => disableUser("ada"),
      () => enableUser("ada"),
      () => setUserRoles("ada", { role: "admin" }),
      () => deleteUser("ada"),
    ]
  ) {
    await within(async () => {
      await assert.rejects(async () => void await change(), { code: "STORAGE_UNAVAILABLE" });
    });
  }
  assert.equal(JSON.stringify(file.prepare("SELECT * FROM users").all()), before);
  file.exec("DROP TRIGGER stop");
  await within(() => disableUser("ada"));
  await within(() => deleteUser("ada"));
  const types = (await within(() => entriesOf({ user: "ada" }))).map(({ type }) => type);
  for (const type of ["user-disabled", "user-deleted"]) {
    assert.ok(types.includes(type), String(types));
  }
});

Deno.test("an entry names the user and who acted, with address and device of who acted alone", async () => {
  const { within } = createTrail();
  const headers = {
    "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0.0.0 Safari/537.36",
  };
  await within(async () => {
    await createUser({ id: "ada", name: "Ada", email: "ada@example.com" });
    await createUser({ id: "root", name: "Root" });
    await startSession("root");
    await disableUser("ada");
  }, headers);
  const [entry] = await within(() => entriesOf({ type: "user-disabled" }));
  assert.deepEqual([entry!.userId, entry!.actorId], ["ada", "root"]);
  assert.deepEqual(entry!.user, { name: "Ada", email: "ada@example.com" });
  assert.equal(entry!.actor?.name, "Root");
  assert.equal(entry!.actor?.address, "192.0.2.0/24");
  assert.match(entry!.actor?.device ?? "", /Chrome/);
  const [signIn] = await within(() => entriesOf({ actor: "root", type: "sign-in" }));
  assert.deepEqual(signIn!.user, signIn!.actor);
  assert.equal(JSON.stringify(await within(() => entriesOf())).includes("192.0.2.77"), false);
});

Deno.test("auditLog() pages through, the newest first, and refuses what is no place", async () => {
  const { within, clock } = createTrail();
  for (let index = 0; index < 5; index++) {
    await within(() => createUser({ id: `u${index}` }));
    clock.now += 1000;
  }
  await within(async () => {
    const pages: string[] = [];
    let after: string | null = null;
    do {
      const page = await auditLog({ limit: 2, after });
      pages.push(page.entries.map(({ userId }) => userId).join());
      after = page.after;
    } while (after !== null);
    assert.deepEqual(pages, ["u4,u3", "u2,u1", "u0"]);
    const since = new Date(START + 3000);
    assert.deepEqual((await entriesOf({ since })).map(({ userId }) => userId), ["u4", "u3"]);
    for (const wrong of ["", "x", "g".repeat(32)]) {
      await assert.rejects(auditLog({ after: wrong }), RequestError);
    }
    for (const wrong of [{ limit: 0 }, { since: "now" }, { who: "ada" }]) {
      await assert.rejects(auditLog(wrong as never), ConfigurationError);
    }
  });
});

Deno.test("strangers leave nothing unless it is asked for", async () => {
  for (const strangers of [false, true]) {
    const application = createTestApplication({
      providers: [passwordProvider(), auditTrail({ strangers, address: "full" })],
    });
    const pending: Promise<unknown>[] = [];
    const waitUntil = (promise: Promise<unknown>) => void pending.push(promise);
    for (const [name, password] of [["x", "wrong"], ["ada", "right"]] as const) {
      const info = { clientAddress: "192.0.2.1", waitUntil };
      await application.send("/signin/credentials", { fields: { name, password }, info });
    }
    while (pending.length > 0) await Promise.all(pending.splice(0));
    const types = application.database.sqlite.prepare("SELECT type FROM audit_entries ORDER BY id")
      .all().map(({ type }) => type);
    assert.equal(types.includes("sign-in-failed"), strangers);
    assert.ok(types.includes("sign-in"));
    application.close();
  }
});

Deno.test("the copy of their data has what the trail holds of users, and nobody else who acted", async () => {
  const application = createTestApplication({
    providers: [passwordProvider(), accountPage(), auditTrail({ address: "full" })],
  });
  const pending: Promise<unknown>[] = [];
  const waitUntil = (promise: Promise<unknown>) => void pending.push(promise);
  const info = { clientAddress: "192.0.2.1", waitUntil };
  const signIn = (name: string) =>
    application.send("/signin/credentials", { fields: { name, password: "right" }, info });
  const root = cookieOf(await signIn("root"));
  const cookie = cookieOf(await signIn("ada"));
  while (pending.length > 0) await Promise.all(pending.splice(0));
  await during(application, root, () => setUserRoles("ada", { role: "editor" }));
  const response = await application.send("/account/export", { cookie, fields: {}, info });
  const { trail } = await response.json() as { trail: Record<string, unknown>[] };
  const found = (wanted: string) => trail.filter(({ type }) => type === wanted);
  assert.deepEqual(found("sign-in").map(({ name, address }) => [name, address]), [
    ["ada", "192.0.2.1"],
  ]);
  assert.deepEqual(
    found("roles-changed").map(({ details, name, address }) => [details, name, address]),
    [
      [{ role: "editor" }, "ada", undefined],
    ],
  );
  assert.equal(JSON.stringify(trail).includes("root"), false);
  application.close();
});

// Tracks: R187
Deno.test("jq and sha256sum verify an export, and the digest of each day is an event", async () => {
  const trail = createTrail();
  await fill(trail);
  const text = await exported(trail);
  const { ok, said } = await verify(text);
  assert.equal(ok, true, said);
  assert.match(said, /^3 seals from the hour \d+ on, the last one [0-9a-f]{64}$/);
  const seals = text.trim().split("\n").map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === "seal");
  assert.deepEqual(seals.map(({ count }) => count).slice(1), [2, 2]);
  const days = trail.told.filter((event) => event.type === "audit-sealed");
  assert.deepEqual(days.map(({ day, digest }) => [day, digest]), [
    ["2026-01-01", seals[1].digest],
  ]);
  assert.ok(said.endsWith(seals[2].digest));
});

// Tracks: R187
Deno.test("whoever verifies finds what was changed, dropped, added or moved", async () => {
  const trail = createTrail();
  await fill(trail);
  const lines = (await exported(trail)).trim().split("\n");
  const places = lines.map((line, index) => [JSON.parse(line), index] as const);
  const entries = places.filter(([{ kind }]) => kind === "entry").map(([, index]) => index);
  const seals = places.filter(([{ kind }]) => kind === "seal").map(([, index]) => index);
  const changed = (index: number, change: (line: Record<string, unknown>) => void) => {
    const line = JSON.parse(lines[index]!);
    change(line);
    return lines.with(index, JSON.stringify(line));
  };
  const swapped = [...lines];
  [swapped[entries[0]!], swapped[entries[1]!]] = [swapped[entries[1]!]!, swapped[entries[0]!]!];
  const cases: Record<string, string[]> = {
    "a changed entry": changed(entries[1]!, (line) => {
      line.entry = String(line.entry).replace('"type":"', '"type":"x');
    }),
    "a dropped entry": lines.toSpliced(entries[1]!, 1),
    "an entry twice": lines.toSpliced(entries[1]!, 0, lines[entries[1]!]!),
    "entries in another order": swapped,
    "a changed seal": changed(seals[1]!, (line) => void (line.count = 9)),
    "a dropped seal": lines.toSpliced(seals[1]!, 1),
    "a dropped hour": lines.filter((_, index) =>
      JSON.parse(lines[index]!).hour !== JSON.parse(lines[seals[1]!]!).hour
    ),
    "an hour that is no number": [
      ...lines,
      JSON.stringify({ ...JSON.parse(lines[entries[0]!]!), hour: "zzz" }),
    ],
    "an entry of two lines": changed(entries[1]!, (line) => {
      line.entry = `${line.entry}\n${JSON.parse(lines[entries[2]!]!).hour} {}`;
    }),
    "an entry without its seal": lines.toSpliced(
      entries[1]!,
      0,
      JSON.stringify({ ...JSON.parse(lines[entries[1]!]!), hour: 0 }),
    ),
    "an entry of which a tool may read the beginning alone": changed(entries[1]!, (line) => {
      line.entry = `${line.entry}\0 and more`;
    }),
    "an entry that is no text": changed(entries[1]!, (line) => {
      line.entry = JSON.parse(String(line.entry));
      line.people = [];
    }),
    "a changed name behind what is no person": changed(entries[0]!, (line) => {
      const [person] = line.people as { text: string }[];
      person!.text = person!.text.replace("example.com", "example.net");
      line.people = [5, person];
    }),
    "a changed name": changed(entries[0]!, (line) => {
      const [person] = line.people as { text: string }[];
      person!.text = person!.text.replace("example.com", "example.net");
    }),
  };
  const reasons: Record<string, string> = {};
  for (const [name, given] of Object.entries(cases)) {
    assert.notDeepEqual(given, lines, name);
    const { ok, said } = await verify(`${given.join("\n")}\n`);
    assert.equal(ok, false, `${name}: ${said}`);
    reasons[name] = said;
  }
  assert.equal(reasons["an entry of two lines"], "an entry is no line of text");
  assert.equal(reasons["an entry without its seal"], "entries of 0 have no seal");
  // The beginning can be cut off, as `keep` does: a digest that was kept elsewhere finds it.
  const digests = seals.map((index) => String(JSON.parse(lines[index]!).digest));
  const whole = await verify(`${lines.join("\n")}\n`, ...digests);
  assert.equal(whole.ok, true, whole.said);
  const cut = lines.slice(seals[0]! + 1);
  assert.equal((await verify(`${cut.join("\n")}\n`)).ok, true);
  const found = await verify(`${cut.join("\n")}\n`, digests[2]!, digests[0]!);
  assert.deepEqual(found, { ok: false, said: `no seal has the digest ${digests[0]}` });
});

// Tracks: R187
Deno.test("a person's deletion takes what is personal out of the trail, and the chain stays whole", async () => {
  const trail = createTrail();
  await fill(trail);
  assert.match(await exported(trail), /eve@example\.com/);
  await trail.within(() => deleteUser("eve"));
  const text = await exported(trail);
  assert.equal(text.includes("eve@example.com"), false);
  assert.match(text, /ada@example\.com/);
  const { ok, said } = await verify(text);
  assert.equal(ok, true, said);
  const [entry] = await trail.within(() => entriesOf({ user: "eve", type: "user-disabled" }));
  assert.deepEqual([entry!.userId, entry!.user], ["eve", null]);
});

// Tracks: R187
Deno.test("many that seal at once make one chain, and old hours go without breaking what is left", async () => {
  const trail = createTrail({ keep: 1 });
  await fill(trail);
  trail.clock.now += 2 * HOUR;
  await trail.within(() => setUserRoles("ada", { roles: [] }));
  trail.clock.now += 2 * HOUR;
  await trail.within(() => Promise.all(Array.from({ length: 8 }, () => sealAuditLog())));
  const { ok, said } = await verify(await exported(trail));
  assert.equal(ok, true, said);
  assert.match(said, /^4 seals/);
  // A day later the first hours are too old; an event has them dropped.
  trail.clock.now += 20 * HOUR;
  await trail.within(() => createUser({ id: "late" }));
  trail.clock.now += 2 * HOUR;
  await trail.within(() => createUser({ id: "later" }));
  const text = await exported(trail);
  assert.equal(text.includes('"userId\\":\\"mallory'), false);
  const left = await verify(text);
  assert.equal(left.ok, true, left.said);
});

// Tracks: R187
Deno.test("hours with many entries are sealed whole, and go whole, also where they go in several steps", async () => {
  const trail = createTrail({ keep: 1 });
  const { file, clock, within } = trail;
  await within(async () => {
    for (let index = 0; index < 1201; index++) await createUser({ id: `u${index}` });
  });
  // The script takes its time for each person.
  file.exec("DELETE FROM users");
  clock.now += 2 * HOUR;
  await within(() => createUser({ id: "late" }));
  clock.now += 2 * HOUR;
  await within(() => sealAuditLog());
  const { ok, said } = await verify(await exported(trail));
  assert.equal(ok, true, said);
  assert.match(said, /^2 seals/);
  // Half of the first hour is gone, and its seal.
  file.exec("DELETE FROM audit_seals WHERE hour = (SELECT min(hour) FROM audit_seals)");
  file.exec(
    "DELETE FROM audit_entries WHERE id IN (SELECT id FROM audit_entries ORDER BY id LIMIT 600)",
  );
  const half = await verify(await exported(trail));
  assert.equal(half.ok, true, half.said);
  clock.now += 22 * HOUR;
  await within(() => createUser({ id: "later" }));
  const { entries } = file.prepare("SELECT count(*) AS entries FROM audit_entries").get()!;
  assert.ok(Number(entries) <= 2, String(entries));
});

Deno.test("an entry names the API key with which somebody acted", async () => {
  const { within } = createTrail();
  await within(async () => {
    await createUser({ id: "ada" });
    const key = { kind: "key", id: "k1", name: "CI", userId: "ada", tenantId: null } as const;
    setActor(currentRequest("test"), key);
    await setUserRoles("ada", { role: "admin" });
  });
  const [entry] = await within(() => entriesOf({ type: "roles-changed" }));
  assert.deepEqual(entry!.details, { role: "admin", key: "k1" });
});

Deno.test("an hour is sealed ten minutes after its end, and not before", async () => {
  const trail = createTrail();
  await trail.within(() => createUser({ id: "ada" }));
  trail.clock.now = START + HOUR + 9 * 60_000;
  assert.equal(await trail.within(() => sealAuditLog()), 0);
  trail.clock.now = START + HOUR + 10 * 60_000;
  assert.equal(await trail.within(() => sealAuditLog()), 1);
  assert.equal(await trail.within(() => sealAuditLog()), 0);
  const storage = groupOf(trail.auth.storage({}), auditGroup);
  assert.equal((await storage.lastSeal())?.hour, START);
});

Deno.test("auditTrail() says what is wrong with its options", () => {
  for (
    const options of [
      { keep: 0 },
      { keep: -Infinity },
      { keep: 1.5 },
      { address: "some" },
      { strangers: 1 },
      { days: 3 },
      5,
    ]
  ) {
    assert.throws(() => auditTrail(options as never), ConfigurationError);
  }
  createAuth({ database: createMemoryStorage(), providers: [auditTrail()] }).storage({});
});
