// One guard that is missing in one way of asking each, in an application of Hono.
import assert from "node:assert/strict";
import { Hono } from "hono";
import { assertGuarded } from "./assert_guarded.ts";
import type { GuardedOptions } from "./options.ts";
import type { GuardedApplication } from "./subject.ts";

interface Note {
  tenant: string;
  text: string;
}

const TENANTS: Record<string, string> = { ada: "acme", bob: "globex" };

interface Env {
  Variables: { user: string };
}

/** Notes of tenants, whose guard is asked unless `skips` says so. */
function notesApp(
  skips: (request: Request) => boolean,
  guard: (user: string, tenant: string, note: Note | undefined) => boolean = (user, tenant, note) =>
    TENANTS[user] === tenant && note?.tenant === tenant,
): GuardedApplication {
  return {
    open() {
      const notes = new Map<string, Note>([
        ["1", { tenant: "acme", text: "milk" }],
        ["2", { tenant: "globex", text: "bread" }],
      ]);
      const app = new Hono<Env>();
      app.use("/:tenant/notes/:id", async (c, next) => {
        const { raw, method } = c.req;
        const user = /user=(\w+)/.exec(c.req.header("cookie") ?? "")?.[1] ?? "";
        const origin = c.req.header("origin");
        const isForeign = origin !== undefined && origin !== "http://localhost" && method !== "GET";
        const isOpen = guard(user, c.req.param("tenant"), notes.get(c.req.param("id")));
        if (!skips(raw) && (!isOpen || isForeign)) return c.text("No", user === "" ? 401 : 403);
        return await next();
      });
      app.get("/:tenant/notes/:id", (c) => {
        if (c.req.header("upgrade") !== undefined) return c.text("Chat", 200);
        const note = notes.get(c.req.param("id"));
        return note === undefined ? c.notFound() : c.json(note);
      });
      app.delete("/:tenant/notes/:id", (c) => {
        notes.delete(c.req.param("id"));
        return c.body(null, 204);
      });
      app.put("/:tenant/notes/:id", async (c) => {
        const { text } = await c.req.json().catch(() => ({}));
        if (typeof text !== "string") return c.text("A text is missing", 422);
        notes.set(c.req.param("id"), { tenant: c.req.param("tenant"), text });
        return c.body(null, 204);
      });
      return {
        fetch: (request) => app.fetch(overridden(request)),
        state: () => ({ notes: [...notes.values()] }),
      };
    },
  };
}

/** Requests whose method was overridden. */
const carried = new WeakSet<Request>();

/** Method override as frameworks have it: a header, or a parameter. */
function overridden(request: Request): Request {
  const method = request.headers.get("x-http-method-override") ??
    new URL(request.url).searchParams.get("_method");
  if (method === null || request.method !== "POST") return request;
  const made = new Request(request, { method });
  carried.add(made);
  return made;
}

const OPTIONS: GuardedOptions = {
  routes: ["GET /:tenant/notes/:id", "PUT /:tenant/notes/:id", "DELETE /:tenant/notes/:id"],
  params: { tenant: { own: "acme", foreign: "globex" }, id: { own: "1", foreign: "2" } },
  inputs: { "PUT /:tenant/notes/:id": { text: "eggs" } },
  owner: { cookie: "user=ada" },
  user: { cookie: "user=eve" },
  other: { cookie: "user=bob" },
};

async function messageOf(application: GuardedApplication): Promise<string> {
  return await assertGuarded(application, OPTIONS).then(
    () => "Nothing was found.",
    (error: Error) => error.message,
  );
}

const isNobody = ({ headers }: Request) => !/user=/.test(headers.get("cookie") ?? "");

const FOUND: Record<string, {
  skips?: (request: Request) => boolean;
  guard?: (user: string, tenant: string, note: Note | undefined) => boolean;
  said: RegExp;
}> = {
  "HEAD": {
    skips: ({ method }) => method === "HEAD",
    said: /GET \/:tenant\/notes\/:id\n {2}- a visitor, by HEAD, got 200/,
  },
  "a WebSocket": {
    skips: ({ headers }) => headers.get("upgrade") === "websocket",
    said: /GET \/:tenant\/notes\/:id\n {2}- a visitor, to open a WebSocket, got 200/,
  },
  "what is loaded ahead of a visit": {
    skips: ({ headers }) => headers.get("sec-purpose") === "prefetch",
    said: /GET \/:tenant\/notes\/:id\n {2}- a visitor, ahead of a visit, got 200/,
  },
  "what is rendered ahead of a visit": {
    skips: ({ headers }) => headers.get("sec-purpose")?.includes("prerender") ?? false,
    said: /GET \/:tenant\/notes\/:id\n {2}- a visitor, ahead of a visit, got 200/,
  },
  "a method that a header overrides, with the input that it needs": {
    skips: (request) => carried.has(request) && request.headers.has("x-http-method-override"),
    said:
      /PUT \/:tenant\/notes\/:id\n {2}- a visitor, by an overridden method, got 204 and changed notes: 1 row changed/,
  },
  "a method that a parameter overrides": {
    skips: (request) => carried.has(request) && !request.headers.has("x-http-method-override"),
    said:
      /DELETE \/:tenant\/notes\/:id\n {2}- a visitor, by an overridden method, got 204 and changed notes: 1 row removed/,
  },
  "a visitor": {
    skips: isNobody,
    said: /DELETE \/:tenant\/notes\/:id\n {2}- a visitor got 204 and changed notes: 1 row removed/,
  },
  "a user without rights": {
    guard: (user, tenant, note) => user !== "" && note?.tenant === tenant && user !== "bob",
    said: /GET \/:tenant\/notes\/:id\n {2}- a user without rights got 200/,
  },
  "a user of another tenant": {
    guard: (user, tenant, note) => user in TENANTS && note?.tenant === tenant,
    said: /GET \/:tenant\/notes\/:id\n {2}- the other user got 200/,
  },
  "a foreign id within the own tenant": {
    guard: (user, tenant) => TENANTS[user] === tenant,
    said: /GET \/:tenant\/notes\/:id\n {2}- the owner, with a foreign id, got 200/,
  },
  "a foreign tenant with an own id": {
    guard: (user, _tenant, note) => TENANTS[user] === note?.tenant,
    said: /GET \/:tenant\/notes\/:id\n {2}- the owner, with a foreign tenant, got 200/,
  },
  "a foreign id by HEAD": {
    skips: (request) => request.method === "HEAD" && request.headers.get("cookie") === "user=ada",
    said: /GET \/:tenant\/notes\/:id\n {2}- the owner, with a foreign tenant, by HEAD, got 200/,
  },
};

Deno.test("assertGuarded() finds nothing where each way of asking is guarded", async () => {
  assert.equal(await messageOf(notesApp(() => false)), "Nothing was found.");
});

for (const [name, { skips = () => false, guard, said }] of Object.entries(FOUND)) {
  Deno.test(`assertGuarded() finds a missing guard for ${name}`, async () => {
    assert.match(await messageOf(notesApp(skips, guard)), said);
  });
}
