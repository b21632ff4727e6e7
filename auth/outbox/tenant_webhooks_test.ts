import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createAuth } from "../app/create_auth.ts";
import type { AuthOptions } from "../app/options.ts";
import { reportChange } from "../core/report.ts";
import { currentRequest } from "../core/request.ts";
import { createUser } from "../session/users.ts";
import { resealSecrets } from "../sign_in/reseal.ts";
import { sqlite } from "../storage/sqlite.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { deleteTenant } from "../tenant/operations.ts";
import { createSqlTenantMembers, createSqlTenantStorage } from "../tenant/sql.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import type { Occurrence } from "../types/events.ts";
import { outbox } from "./outbox.ts";
import {
  addTenantWebhook,
  listTenantWebhooks,
  type NewTenantWebhook,
  removeTenantWebhook,
  rotateTenantWebhook,
  type TenantWebhook,
  tenantWebhooks,
  type TenantWebhooksOptions,
} from "./tenant_webhooks.ts";
import type { OutboxMessage } from "./message.ts";
import { verifyWebhook } from "./verify_webhook.ts";

const NOW = Date.UTC(2026, 10, 28);
const SECRET = "a secret of at least thirty-two bytes";

interface Sent {
  host: string;
  event: OutboxMessage;
}

function open(
  secret: string | string[] = SECRET,
  file = new DatabaseSync(":memory:"),
  rest: Partial<AuthOptions> = {},
) {
  const clock = { now: NOW };
  const requests: Request[] = [];
  const auth = createAuth({
    database: sqlite(file),
    secret,
    now: () => clock.now,
    logger: { info() {}, warn() {}, error() {} },
    providers: [outbox({
      destinations: [],
      tenants: tenantWebhooks({
        max: 3,
        fetch(url, init) {
          requests.push(new Request(url, init));
          return Promise.resolve(new Response(null, { status: 204 }));
        },
      }),
    })],
    ...rest,
  });
  async function run<T>(work: () => Promise<T>): Promise<T> {
    const background: Promise<unknown>[] = [];
    const waitUntil = (one: Promise<unknown>) => void background.push(one);
    let result: Promise<T> | undefined;
    await auth.run(
      new Request("http://localhost/", { method: "POST" }),
      {},
      { waitUntil },
      async () => {
        result = work();
        await result.catch(() => {});
        return new Response();
      },
    );
    while (background.length > 0) await background.shift();
    return await result!;
  }
  /** Tells the outbox of an event. */
  const tell = (event: Occurrence) =>
    run(() =>
      reportChange(
        currentRequest("test"),
        { events: [event], happened: () => true },
        () => Promise.resolve(),
      )
    );
  async function sent(secrets: Record<string, string>): Promise<Sent[]> {
    await auth.deliver({});
    const all: Sent[] = [];
    for (const request of requests.splice(0)) {
      const { host } = new URL(request.url);
      const event = await verifyWebhook(request, secrets[host]!, { now: () => clock.now });
      all.push({ host, event });
    }
    return all.sort((a, b) => a.host < b.host ? -1 : 1);
  }
  return { auth, clock, file, run, tell, sent, [Symbol.dispose]: () => file.close() };
}

const ADDED = { type: "member-added", userId: "ada", tenantId: "t1" } as const;

Deno.test("an event of a tenant goes to the addresses of that tenant that want it, signed with the secret of each", async () => {
  using app = open();
  await app.auth.migrate();
  const add = (tenantId: string, host: string, events?: NewTenantWebhook["events"]) =>
    app.run(() =>
      addTenantWebhook(tenantId, { url: `https://${host}/in`, ...events && { events } })
    );
  const all = await add("t1", "all.example");
  const few = await add("t1", "few.example", ["member-removed"]);
  await add("t2", "other.example");
  assert.deepEqual(all.events.length, 7);
  await app.tell(ADDED);
  await app.tell({ type: "member-removed", userId: "ada", tenantId: "t1", actorId: "bob" });
  // Of a user, and of no tenant.
  await app.run(() => createUser({ id: "eve" }));
  const sent = await app.sent({ "all.example": all.secret, "few.example": few.secret });
  assert.deepEqual(
    sent.map(({ host, event }) => `${host} ${event.type} ${event.data.tenantId}`).sort(),
    [
      "all.example member-added t1",
      "all.example member-removed t1",
      "few.example member-removed t1",
    ],
  );
  assert.deepEqual(app.file.prepare("SELECT * FROM auth_outbox").all(), []);
});

Deno.test("the secret is sealed, and shown once", async () => {
  using app = open();
  await app.auth.migrate();
  const { secret, id } = await app.run(() => addTenantWebhook("t1", { url: "https://a.example/" }));
  const rows = JSON.stringify(app.file.prepare("SELECT * FROM webhook_endpoints").all());
  assert.ok(!rows.includes(secret.slice("whsec_".length)));
  const listed = await app.run(() => listTenantWebhooks("t1"));
  assert.deepEqual(listed.map((one) => one.id), [id]);
  assert.ok(!JSON.stringify(listed).includes("whsec_"));
  assert.deepEqual(await app.run(() => listTenantWebhooks("t2")), []);
});

Deno.test("after a rotation both secrets verify until the grace is over, and then the new one alone", async () => {
  using app = open();
  await app.auth.migrate();
  const { id, secret } = await app.run(() => addTenantWebhook("t1", { url: "https://a.example/" }));
  assert.equal(await app.run(() => rotateTenantWebhook("t2", id)), null);
  const rotated = await app.run(() => rotateTenantWebhook("t1", id, { grace: 60 }));
  assert.deepEqual(rotated!.previousUntil, new Date(NOW + 60_000));
  for (const one of [secret, rotated!.secret]) {
    await app.tell(ADDED);
    assert.equal((await app.sent({ "a.example": one })).length, 1);
  }
  app.clock.now += 60_000;
  await app.tell(ADDED);
  await assert.rejects(app.sent({ "a.example": secret }), { code: "WEBHOOK_SIGNATURE" });
  await app.tell(ADDED);
  assert.equal((await app.sent({ "a.example": rotated!.secret })).length, 1);
  // At once, for a secret that has leaked.
  const other = await app.run(() => rotateTenantWebhook("t1", id, { grace: 0 }));
  assert.equal(other!.previousUntil, null);
  for (const grace of [-1, 0.5, 31 * 86_400]) {
    await assert.rejects(app.run(() => rotateTenantWebhook("t1", id, { grace })), {
      code: "BAD_REQUEST",
    });
  }
});

Deno.test("an address that a tenant has removed gets nothing more, and nobody else's is removed", async () => {
  using app = open();
  await app.auth.migrate();
  const { id, secret } = await app.run(() => addTenantWebhook("t1", { url: "https://a.example/" }));
  await app.tell(ADDED);
  await app.auth.deliver({}, { limit: 1 });
  assert.equal((await app.sent({ "a.example": secret })).length, 1);
  await app.tell(ADDED);
  assert.equal(await app.run(() => removeTenantWebhook("t2", id)), false);
  assert.equal(await app.run(() => removeTenantWebhook("t1", id)), true);
  assert.equal(await app.run(() => removeTenantWebhook("t1", id)), false);
  assert.deepEqual(await app.sent({}), []);
  assert.deepEqual(app.file.prepare("SELECT * FROM auth_outbox").all(), []);
});

Deno.test("what waits for an address that is removed goes with it, and nobody tries it again", async () => {
  using app = open();
  await app.auth.migrate();
  const { id } = await app.run(() => addTenantWebhook("t1", { url: "https://a.example/" }));
  app.file.prepare(
    "INSERT INTO auth_outbox (id, destination, type, text, at, due_at, tries) VALUES ('evt_1', ?, 'member-added', '{}', 0, 0, 3)",
  ).run(`tenant:${id}`);
  app.file.exec("DELETE FROM webhook_endpoints");
  const outcome = await app.auth.deliver({});
  assert.deepEqual(outcome, { delivered: 0, failed: 0, dead: 0, more: false });
  assert.deepEqual(app.file.prepare("SELECT * FROM auth_outbox").all(), []);
});

Deno.test("an address gets the events from its own beginning on, however late they are shared out", async () => {
  using app = open();
  await app.auth.migrate();
  await app.tell(ADDED);
  app.clock.now++;
  const { secret } = await app.run(() => addTenantWebhook("t1", { url: "https://a.example/" }));
  await app.tell({ ...ADDED, userId: "bob" });
  const sent = await app.sent({ "a.example": secret });
  assert.deepEqual(sent.map(({ event }) => event.data.userId), ["bob"]);
});

Deno.test("the types of events of an address are typed, also as they are listed", () => {
  const listed: TenantWebhook = {
    ...{ id: "wh_1", url: "https://a.example/", createdAt: new Date(NOW), previousUntil: null },
    events: ["member-added"],
  };
  const { url, events }: NewTenantWebhook = listed;
  // @ts-expect-error A type of events that is misspelled must not compile.
  const misspelled: NewTenantWebhook = { url, events: ["member-aded"] };
  assert.notDeepEqual(misspelled.events, events);
});

Deno.test("an event of a tenant goes to destinations of the application as well", async () => {
  const told: string[] = [];
  const requests: string[] = [];
  using app = open(SECRET, undefined, {
    providers: [outbox({
      destinations: [{
        id: "crm",
        events: ["member-added"],
        deliver: ({ type }) => Promise.resolve(void told.push(type)),
      }],
      tenants: tenantWebhooks({
        fetch(url) {
          requests.push(String(url));
          return Promise.resolve(new Response(null, { status: 204 }));
        },
      }),
    })],
  });
  await app.auth.migrate();
  await app.run(() => addTenantWebhook("t1", { url: "https://a.example/" }));
  await app.tell(ADDED);
  await app.auth.deliver({});
  assert.deepEqual([told, requests], [["member-added"], ["https://a.example/"]]);
});

Deno.test("an address of a tenant that is deleted gets nothing of one that has its id later", async () => {
  const file = new DatabaseSync(":memory:");
  const database = sqlite(file);
  const tenants = createSqlTenantStorage(database);
  const members = createSqlTenantMembers(database);
  const tenancy = defineTenancy({ strategy: "path", storage: tenants, members });
  using app = open(SECRET, file, { tenancy });
  await app.auth.migrate();
  const hosts = { t1: "old.example", t2: "other.example" };
  const secrets: Record<string, string> = {};
  for (const [id, host] of Object.entries(hosts)) {
    await tenants.create({ id, slug: id, name: id });
    const made = await app.run(() => addTenantWebhook(id, { url: `https://${host}/` }));
    secrets[host] = made.secret;
  }
  await app.tell(ADDED);
  assert.equal(await app.run(() => deleteTenant("t1")), true);
  await tenants.create({ id: "t1", slug: "t1", name: "Another" });
  for (const tenantId of ["t1", "t2"]) await app.tell({ ...ADDED, tenantId });
  const sent = await app.sent(secrets);
  assert.deepEqual(sent.map(({ host }) => host), ["other.example"]);
  assert.deepEqual(await app.run(() => listTenantWebhooks("t1")), []);
  assert.equal((await app.run(() => listTenantWebhooks("t2"))).length, 1);
});

Deno.test("what was entered is a bad request where it is no list of events, and is kept in the spelling that is sent", async () => {
  using app = open();
  await app.auth.migrate();
  const url = "https://a.example/in";
  for (
    const wrong of [
      ...[null, undefined, "https://a.example/in"],
      ...[null, "member-added", {}, [], [null], [["member-added"]], ["sign-in"]].map((events) => ({
        url,
        events,
      })),
      // Longer than an address may be, once it is written for the wire.
      { url: `${url}?${"ä".repeat(1000)}` },
    ]
  ) {
    await assert.rejects(
      app.run(() => addTenantWebhook("t1", wrong as never)),
      { code: "BAD_REQUEST" },
      JSON.stringify(wrong),
    );
  }
  for (const entered of [` ${url}\n`, "https:a.example\\in", "https://A.Exam\tple/in\u0000"]) {
    const made = await app.run(() => addTenantWebhook("t2", { url: entered }));
    assert.equal(made.url, url);
  }
});

Deno.test("a destination of the application has no id that reads as one of a tenant's", () => {
  const tenants = tenantWebhooks({ fetch });
  const destinations = [{ id: "tenant:acme", deliver: () => Promise.resolve() }];
  assert.throws(() => outbox({ destinations, tenants }), {
    code: "CONFIGURATION",
    message: /tenant:acme/,
  });
  outbox({ destinations });
});

// Tracks: R195
Deno.test("an address that is not public, an unknown event and one address too many are refused", async () => {
  using app = open();
  await app.auth.migrate();
  for (
    const url of [
      "http://a.example/",
      "https://127.0.0.1/",
      "https://[::ffff:127.0.0.1]/",
      "https://2130706433/",
      "https://169.254.169.254/latest/meta-data/",
      "https://localhost/",
      "https://a.example:8443/",
      "https://user:password@a.example/",
      "https://metadata.google.internal/",
      "nonsense",
      null,
    ]
  ) {
    await assert.rejects(
      app.run(() => addTenantWebhook("t1", { url: url as string })),
      { code: "BAD_REQUEST" },
      `${url}`,
    );
  }
  for (const events of [["sign-in"], [], "member-added", null, [null]]) {
    const wrong = { url: "https://a.example/", events } as NewTenantWebhook;
    await assert.rejects(app.run(() => addTenantWebhook("t1", wrong)), { code: "BAD_REQUEST" });
  }
  const results = await Promise.allSettled(
    Array.from(
      { length: 5 },
      () => app.run(() => addTenantWebhook("t1", { url: "https://a.example/" })),
    ),
  );
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 3);
});

Deno.test("resealSecrets() seals the secrets of tenants' webhooks anew", async () => {
  const file = new DatabaseSync(":memory:");
  const before = open(SECRET, file);
  await before.auth.migrate();
  const { id } = await before.run(() => addTenantWebhook("t1", { url: "https://a.example/" }));
  const rotated = await before.run(() => rotateTenantWebhook("t1", id));
  const newest = "another secret of at least thirty-two bytes";
  const both = open([newest, SECRET], file);
  assert.deepEqual(await resealSecrets(both.auth, {}), { resealed: 2, left: 0, unreadable: 0 });
  assert.deepEqual(await resealSecrets(both.auth, {}), { resealed: 0, left: 0, unreadable: 0 });
  using after = open(newest, file);
  await after.tell(ADDED);
  assert.equal((await after.sent({ "a.example": rotated!.secret })).length, 1);
});

Deno.test("wrong options of tenantWebhooks() say what to write, and an application without it what is missing", async () => {
  const send = () => Promise.resolve(new Response());
  const wrong: unknown[] = [
    undefined,
    {},
    { fetch: "https://a.example" },
    { fetch: send, max: 0 },
    { fetch: send, max: 101 },
    { fetch: send, events: ["sign-in"] },
    { fetch: send, events: "member-added" },
    { fetch: send, retries: 1 },
  ];
  for (const options of wrong) {
    assert.throws(() => tenantWebhooks(options as TenantWebhooksOptions), {
      code: "CONFIGURATION",
    });
  }
  assert.throws(
    () =>
      createAuth({
        database: createMemoryStorage(),
        providers: [outbox({ destinations: [], tenants: tenantWebhooks({ fetch: send }) })],
      }),
    { code: "CONFIGURATION", field: "secret" },
  );
  const without = createAuth({
    database: createMemoryStorage(),
    providers: [outbox({ destinations: [] })],
  });
  await without.run(new Request("http://localhost/"), {}, {}, async () => {
    await assert.rejects(listTenantWebhooks("t1"), { code: "CONFIGURATION" });
    return new Response();
  });
});
