import assert from "node:assert/strict";
import { Hono } from "hono";
import { csrf } from "hono/csrf";
import { fileURLToPath } from "node:url";
import { createTestContext } from "../context/test_context.ts";
import type { TestContext } from "../context/types.ts";
import { assertGuarded } from "./assert_guarded.ts";
import type { GuardedOptions } from "./options.ts";
import type { GuardedApplication } from "./subject.ts";

interface Note {
  id: string;
  owner: string;
  text: string;
}

const USERS: Record<string, { id: string; isAdmin?: boolean }> = {
  "user=ada": { id: "ada" },
  "user=bob": { id: "bob" },
  "user=eve": { id: "eve" },
};

/** An application of Hono, with notes that belong to users. */
function notesApp(
  change: (app: Hono, notes: Map<string, Note>) => void = () => {},
): GuardedApplication {
  return {
    open() {
      const notes = new Map([
        ["1", { id: "1", owner: "ada", text: "milk" }],
        ["2", { id: "2", owner: "bob", text: "bread" }],
      ]);
      const app = new Hono<{ Variables: { user: string } }>();
      change(app as unknown as Hono, notes);
      app.use(csrf());
      app.use("/notes/*", async (c, next) => {
        const user = USERS[c.req.header("cookie") ?? ""];
        if (user === undefined) return c.redirect("/login");
        c.set("user", user.id);
        return await next();
      });
      const own = (c: { get(name: "user"): string }, id: string) =>
        notes.get(id)?.owner === c.get("user") ? notes.get(id) : undefined;
      app.get("/notes/:id", (c) => {
        const note = own(c, c.req.param("id"));
        return note ? c.json(note) : c.notFound();
      });
      app.put("/notes/:id", async (c) => {
        const note = own(c, c.req.param("id"));
        const { text } = await c.req.json().catch(() => ({}));
        if (note === undefined) return c.notFound();
        if (typeof text !== "string") return c.json({ missing: "text" }, 422);
        notes.set(note.id, { ...note, text });
        return c.body(null, 204);
      });
      app.post("/notes/:id/share", (c) => {
        const note = own(c, c.req.param("id"));
        if (note === undefined) return c.notFound();
        notes.set(`${note.id}-shared`, note);
        return c.redirect(`/notes/${note.id}`);
      });
      return {
        fetch: (request) => app.fetch(request),
        state: () => ({ notes: [...notes.values()] }),
      };
    },
  };
}

const OPTIONS: GuardedOptions = {
  routes: ["GET /notes/:id", "PUT /notes/{id}", "POST /notes/[id]/share"],
  owner: { cookie: "user=ada" },
  user: { cookie: "user=eve" },
  other: { cookie: "user=bob" },
  params: { id: { own: "1", foreign: "2" } },
  inputs: { "PUT /notes/:id": { text: "eggs" } },
  signIn: "/login",
};

async function messageOf(
  application: GuardedApplication,
  options: GuardedOptions,
): Promise<string> {
  try {
    await assertGuarded(application, options);
  } catch (error) {
    assert.equal((error as Error).name, "AssertionError", String(error));
    return (error as Error).message;
  }
  throw new Error("Nothing was found.");
}

Deno.test("assertGuarded() accepts an application of Hono by the list of its routes", async () => {
  const { routes, requests } = await assertGuarded(notesApp(), OPTIONS);
  assert.equal(routes, 3);
  assert.ok(requests > 40, `${requests} requests`);
});

const OPENAPI = {
  openapi: "3.1.1",
  paths: {
    "/notes/{id}": {
      get: {},
      put: {
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Text" } } },
        },
      },
    },
    "/notes/{id}/share": { post: {} },
  },
  components: {
    schemas: {
      Text: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
    },
  },
};

Deno.test("assertGuarded() takes routes and inputs of an OpenAPI document", async () => {
  const { routes: _, inputs: _inputs, ...options } = OPTIONS;
  assert.equal((await assertGuarded(notesApp(), { ...options, openapi: OPENAPI })).routes, 3);
});

const FOUND: [
  name: string,
  change: (app: Hono, notes: Map<string, Note>) => void,
  options: GuardedOptions,
  message: string,
][] = [
  [
    "a route before the guard, with the request to repeat",
    (app) => app.get("/notes/:id", (c) => c.json({ id: 1 })),
    { routes: ["GET /notes/:id"], inputs: {} },
    `assertGuarded(): 1 route of 1 let somebody through (7 requests):

GET /notes/:id
  - a visitor got 200
    curl -i 'http://localhost/notes/1'
  - the owner, with a foreign id, got 200
    curl -i -H 'cookie: user=ada' 'http://localhost/notes/2'

A route for everybody belongs in \`public\`, one for every signed-in user in \`signedIn\`, and a change that no guard needs to prevent in \`ignore\`.`,
  ],
];

for (const [name, change, options, message] of FOUND) {
  Deno.test(`assertGuarded() finds ${name}`, async () => {
    assert.equal(await messageOf(notesApp(change), { ...OPTIONS, ...options }), message);
  });
}

Deno.test("assertGuarded() judges every answer but a refusal as a way in", async () => {
  const answers: [Response, string | null][] = [
    [new Response(null, { status: 401 }), null],
    [new Response(null, { status: 403 }), null],
    [new Response(null, { status: 404 }), null],
    [Response.redirect("http://localhost/login?next=%2Fnotes"), null],
    [
      Response.redirect("https://elsewhere.example/login"),
      "302 to https://elsewhere.example/login",
    ],
    [Response.redirect("http://localhost/"), "302 to http://localhost/"],
    [new Response(null, { status: 204 }), "204"],
    [Response.json({ wrong: "text" }, { status: 422 }), `422 {"wrong":"text"}`],
    [new Response(null, { status: 400 }), "400"],
    [new Response(null, { status: 429 }), "429: a limit stood before the guard"],
    [new Response("milk", { status: 403 }), "403, but with what the owner gets"],
  ];
  for (const [answer, expected] of answers) {
    const application: GuardedApplication = {
      open: () => ({
        fetch: (request) =>
          request.headers.has("authorization") ? new Response("milk") : answer.clone(),
      }),
    };
    const options: GuardedOptions = {
      routes: ["GET /"],
      owner: { authorization: "ada" },
      user: {},
      signIn: "/login",
    };
    if (expected === null) await assertGuarded(application, options);
    else {assert.ok(
        (await messageOf(application, options)).includes(`  - a visitor got ${expected}\n`),
      );}
  }
});

Deno.test("assertGuarded() takes an error for a way in, and waits for work after the answer", async () => {
  const failing: GuardedApplication = {
    open: () => ({
      fetch(request) {
        if (request.headers.has("authorization")) return new Response("milk");
        throw new RangeError("no user");
      },
    }),
  };
  const options: GuardedOptions = { routes: ["GET /"], owner: { authorization: "ada" }, user: {} };
  assert.match(await messageOf(failing, options), /a visitor got an error \(RangeError: no user\)/);
  const late: GuardedApplication = {
    open() {
      const sent: string[] = [];
      let pending = Promise.resolve();
      return {
        fetch(request) {
          pending = new Promise<void>((resolve) => setTimeout(resolve, 5)).then(() =>
            void sent.push("mail")
          );
          return new Response("", { status: request.headers.has("authorization") ? 200 : 401 });
        },
        settled: () => pending,
        state: () => ({ sent }),
      };
    },
  };
  assert.match(await messageOf(late, options), /a visitor got 401, but changed sent: mail/);
  await assertGuarded(late, { ...options, ignore: ["se*"] });
});

Deno.test("assertGuarded() says which routes it could not ask, and never calls them guarded", async () => {
  const nobody: GuardedApplication = {
    open: () => ({ fetch: () => new Response(null, { status: 404 }) }),
  };
  const message = await messageOf(nobody, {
    ...OPTIONS,
    routes: ["GET /notes/:id", "GET /users/:name"],
    inputs: {},
  });
  assert.match(message, /2 routes of 2 could not be asked/);
  assert.match(
    message,
    /GET \/notes\/:id\n {2}- the owner got 404\n {4}curl -i -H 'cookie: user=ada'/,
  );
  assert.match(message, /GET \/users\/:name\n {2}- params has no value for "name"/);
  // The other one has no such note, so a 404 for the foreign id says nothing.
  const own = await messageOf(notesApp((_, notes) => notes.delete("2")), OPTIONS);
  assert.match(
    own,
    /with its own ids the other user got 404 Not Found, so that nobody was asked with a foreign one/,
  );
});

Deno.test("assertGuarded() lets a browser's preflight stand for a guard, and a bad one fall", async () => {
  const allowing = notesApp((app) =>
    app.use(async (c, next) => {
      await next();
      c.header("access-control-allow-origin", c.req.header("origin") ?? "");
      c.header("access-control-allow-credentials", "true");
      c.header("access-control-allow-methods", "PUT");
      c.header("access-control-allow-headers", "content-type");
      if (c.req.method === "OPTIONS") {
        c.res = new Response(null, { status: 204, headers: c.res.headers });
      }
    })
  );
  const message = await messageOf(allowing, OPTIONS);
  assert.match(
    message,
    /the owner, from another site, got 200, which a script of that site may read/,
  );
  assert.match(
    message,
    /the owner, by a script of another site, by PUT, got 204 and changed notes: 1 row changed/,
  );
});

Deno.test("assertGuarded() asks from another site as a form can, whatever type the body has", async () => {
  const message = await messageOf(
    notesApp((app, notes) =>
      app.post("/notes", async (c) => {
        if (c.req.header("cookie") === undefined) return c.body(null, 401);
        const { text } = JSON.parse(await c.req.text());
        notes.set("3", { id: "3", owner: "ada", text });
        return c.body(null, 201);
      })
    ),
    {
      ...OPTIONS,
      routes: ["POST /notes"],
      inputs: { "/notes": { text: "x" } },
      params: {},
      signedIn: ["/notes"],
    },
  );
  assert.match(message, /the owner, from another site, got 201 and changed notes: 1 row added/);
  assert.match(message, /-H 'content-type: text\/plain' .*--data-raw '\{"text":"x"\}'/);
});

Deno.test("assertGuarded() refuses options that say nothing", async () => {
  const refused: [GuardedOptions, RegExp][] = [
    [{ ...OPTIONS, public: ["/nots"] }, /public names "\/nots", which is no route/],
    [
      { ...OPTIONS, params: { ...OPTIONS.params, name: "x" } },
      /params has "name", which is in no route/,
    ],
    [{ ...OPTIONS, other: undefined! }, /params\.id has a foreign value, and nobody/],
    [{ ...OPTIONS, openapi: OPENAPI }, /routes and openapi/],
    [{ routes: ["GET /"] }, /Pass routes or openapi, owner, and user/],
    [{ ...OPTIONS, routes: ["/notes"] }, /Write a method and a path/],
    [
      { ...OPTIONS, roles: { reader: { as: {}, may: ["/x"] } } },
      /roles\["reader"\]\.may names "\/x"/,
    ],
  ];
  for (const [options, message] of refused) {
    await assert.rejects(assertGuarded(notesApp(), options), { name: "TestingError", message });
  }
});

Deno.test("assertGuarded() compares buckets, entries, queues and objects of a context, which keeps its own", async () => {
  const cwd = fileURLToPath(new URL("../context/fixtures/project/", import.meta.url));
  await using ctx = await createTestContext({ cwd });
  await ctx.fetch("/api/room", { method: "POST", body: "hello" });
  const options: GuardedOptions = {
    routes: ["PUT /api/bucket", "POST /api/room", "GET /api/vars", "GET /api/presence"],
    inputs: { "PUT /api/bucket": "a file", "POST /api/room": "bye" },
  };
  const message = await assertGuarded(ctx, options).then(
    () => "Nothing was found.",
    ({ message }: Error) => message,
  );
  for (
    const said of [
      /PUT \/api\/bucket\n {2}- a visitor got 201 and changed mails: 1 row added, \{"body":\{"stored":"file"\},"due":\d+\}; /,
      /; BUCKET\.file: 1 row added, .*"value":"a file"/,
      /await ctx\.fetch\("\/api\/bucket", \{ method: "PUT", headers: \{ "cookie": "" \}, body: "a file" \}\);/,
      /POST \/api\/room\n.* got 200 and changed .*Room\.\w{8}\.said: 1 row added, \{"text":"bye"\}/,
      /GET \/api\/vars\n.* got 200 and changed CACHE\.greeting: 1 row added/,
      /GET \/api\/presence\n {2}- a visitor got 101/,
    ]
  ) assert.match(message, said);
  // Each request had a copy of the data.
  assert.deepEqual((await (await ctx.fetch("/api/bucket")).json()).text, undefined);
  const said = await ctx.fetch("/api/room", { method: "POST", body: "again" });
  assert.deepEqual((await said.json()).said, ["hello", "again"]);
});

Deno.test("assertGuarded() takes the built-in address for a sign-in page of one's own, to which it leads", async () => {
  const cwd = fileURLToPath(new URL("fixtures/own_page/", import.meta.url));
  await using ctx = await createTestContext({ cwd });
  const owner = await ctx.withAuth({ userId: "ada" });
  const led = await ctx.fetch("/dashboard");
  assert.match(led.headers.get("location")!, /\/auth\/signin\?callbackUrl=/);
  const { routes } = await assertGuarded(owner, {
    public: ["GET /login"],
    signedIn: ["GET /dashboard"],
  });
  assert.equal(routes, 1);
});

Deno.test("assertGuarded() reads a body that never ends for a second", async () => {
  const endless: GuardedApplication = {
    open: () => ({
      fetch: (request) =>
        request.headers.has("authorization")
          ? new Response(
            new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode("data")) }),
          )
          : new Response(null, { status: 401 }),
    }),
  };
  const options: GuardedOptions = { routes: ["PUT /"], owner: { authorization: "ada" }, user: {} };
  assert.equal((await assertGuarded(endless, options)).routes, 1);
});

Deno.test("assertGuarded() refuses a context whose data it cannot copy", async () => {
  const elsewhere = { fetch: () => Promise.resolve(new Response()) } as unknown as TestContext;
  await assert.rejects(assertGuarded(elsewhere), { name: "TestingError", code: "RUNTIME" });
});
