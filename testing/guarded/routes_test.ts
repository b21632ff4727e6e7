import assert from "node:assert/strict";
import { Hono } from "hono";
import { assertGuarded } from "./assert_guarded.ts";
import type { GuardedOptions } from "./options.ts";
import type { GuardedApplication } from "./subject.ts";

const schema = {
  type: "object",
  required: ["title", "kind"],
  properties: { title: { type: "string", minLength: 3 }, kind: { enum: ["list", "text"] } },
};

/** A document whose paths are relative to its server, with an input of each kind. */
const DOCUMENT = {
  openapi: "3.1.1",
  servers: [{ url: "https://api.example/v1/" }],
  paths: {
    "/notes": {
      get: {
        parameters: [
          { name: "page", in: "query", required: true, schema: { type: "integer", minimum: 1 } },
          { name: "order", in: "query", schema: { type: "string" } },
        ],
      },
      post: { requestBody: { $ref: "#/components/requestBodies/Note" } },
    },
    "/notes/form": {
      post: { requestBody: { content: { "application/x-www-form-urlencoded": { schema } } } },
    },
    "/notes/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      delete: {},
    },
    "/health": { get: {} },
  },
  components: { requestBodies: { Note: { content: { "application/json": { schema } } } } },
};

/** An API that checks its input before its guard where `opens` says so. */
function api(opens: string[] = []): GuardedApplication {
  return {
    open() {
      const notes = [{ id: "1", title: "Milk" }];
      const app = new Hono().basePath("/v1");
      app.get("/health", (c) => c.text("ok"));
      app.use("/notes/*", async (c, next) => {
        const name = `${c.req.method} ${c.req.path.replace("/v1", "")}`;
        const isOwner = c.req.header("authorization") === "Bearer ada";
        return isOwner || opens.includes(name) ? await next() : c.text("No", 401);
      });
      const isNote = ({ title, kind }: Record<string, unknown>) =>
        String(title ?? "").length > 2 && ["list", "text"].includes(String(kind));
      app.get("/notes", (c) => Number(c.req.query("page")) > 0 ? c.json(notes) : c.text("", 400));
      app.post("/notes", async (c) => {
        const note = await c.req.json().catch(() => ({}));
        return isNote(note) ? c.json({}, 201) : c.text("", 422);
      });
      app.post("/notes/form", async (c) => {
        const note = await c.req.parseBody();
        if (!isNote(note)) return c.text("", 422);
        notes.push({ id: "2", title: String(note["title"]) });
        return c.json({}, 201);
      });
      app.delete("/notes/:id", (c) => c.req.param("id") === "1" ? c.body(null, 204) : c.notFound());
      return { fetch: (request) => app.fetch(request), state: () => ({ notes }) };
    },
  };
}

const OPTIONS: GuardedOptions = {
  openapi: DOCUMENT,
  public: ["/v1/health"],
  params: { id: "1" },
  owner: { authorization: "Bearer ada" },
  user: { authorization: "Bearer eve" },
};

Deno.test("assertGuarded() asks the operations of an OpenAPI document below its server, with valid input", async () => {
  const { routes } = await assertGuarded(api(), OPTIONS);
  assert.equal(routes, 4);
});

Deno.test("assertGuarded() finds the operation of an OpenAPI document that lost its guard", async () => {
  for (const name of ["GET /notes", "POST /notes", "POST /notes/form", "DELETE /notes/1"]) {
    const [method, path] = name.split(" ") as [string, string];
    await assert.rejects(assertGuarded(api([name]), OPTIONS), (error: Error) => {
      const route = `${method} /v1${path.replace("/1", "/:id")}`;
      assert.ok(error.message.includes(`1 route of 4 let somebody through`), error.message);
      assert.ok(error.message.includes(`${route}\n  - a visitor got 20`), error.message);
      return true;
    });
  }
});

Deno.test("assertGuarded() reports an operation as not asked whose input nothing describes", async () => {
  const { post: _, ...get } = DOCUMENT.paths["/notes"];
  const openapi = { ...DOCUMENT, paths: { "/notes": { ...get, post: {} } } };
  const { params: _params, public: _public, ...options } = OPTIONS;
  await assert.rejects(assertGuarded(api(), { ...options, openapi }), (error: Error) => {
    assert.match(
      error.message,
      /1 route of 2 could not be asked[^]*POST \/v1\/notes\n {2}- the owner got/,
    );
    assert.doesNotMatch(error.message, /let somebody through/);
    return true;
  });
  const inputs = { "POST /v1/notes": { title: "Milk", kind: "list" } };
  assert.equal((await assertGuarded(api(), { ...options, openapi, inputs })).routes, 2);
});
