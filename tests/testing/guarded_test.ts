// The starter with guarded routes of every kind, and changes of its source that take one guard away each.
import { createSqlTenantStorage } from "@framework/auth/tenant";
import type { SqlDatabase } from "@framework/auth/storage";
import {
  assertGuarded,
  createTestContext,
  type GuardedOptions,
  type GuardedReport,
} from "@framework/testing";
import assert from "node:assert/strict";
import { copyStarterSource, type SourceChange } from "../support/starter_source.ts";

const FILES: Record<string, string> = {
  "migrations/0003_notes.sql": `
CREATE TABLE notes (id INTEGER PRIMARY KEY, tenant_id TEXT NOT NULL, title TEXT NOT NULL);
CREATE TABLE visits (id INTEGER PRIMARY KEY, path TEXT NOT NULL);
`,
  "app/auth/providers/api-keys.ts": `
import { apiKeys } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
export default defineProvider(apiKeys({ prefix: "acme" }));
`,
  "app/messages/page.tsx": `
import { requirePermission } from "@framework/auth";
import { type ActionArgs, redirect } from "@framework/cli/runtime";
export function loader() {
  requirePermission("messages:read");
  return null;
}
export async function action({ request, context }: ActionArgs<"/messages">) {
  requirePermission("messages:delete");
  const form = await request.formData();
  await context.db.deleteFrom("messages").where("id", "=", Number(form.get("id"))).execute();
  return redirect("/messages");
}
export default function Messages() {
  return <h1>Messages</h1>;
}
`,
  "app/t/[tenant]/notes/[id]/route.ts": `
import { hasPermission } from "@framework/auth";
import { requireTenant } from "@framework/auth/tenant";
import { notFound, type RequestContext } from "@framework/cli/runtime";
import { z } from "zod";
type Context = RequestContext<"/t/[tenant]/notes/[id]", typeof input>;
export const input = z.object({ title: z.string().min(1).max(200) });
export async function GET(_request: Request, { db, params }: Context) {
  const note = await db.selectFrom("notes").selectAll().where("id", "=", Number(params.id))
    .where("tenant_id", "=", requireTenant().id).executeTakeFirst();
  return note ?? notFound();
}
export async function PATCH(_request: Request, { db, params, input }: Context) {
  const { numUpdatedRows } = await db.updateTable("notes").set(input).where("id", "=", Number(params.id))
    .where("tenant_id", "=", requireTenant().id).executeTakeFirst();
  return numUpdatedRows === 0n ? notFound() : new Response(null, { status: 204 });
}
export async function DELETE(_request: Request, { db, params }: Context) {
  if (!hasPermission("team:delete")) return new Response(null, { status: 403 });
  const { numDeletedRows } = await db.deleteFrom("notes").where("id", "=", Number(params.id))
    .where("tenant_id", "=", requireTenant().id).executeTakeFirst();
  return numDeletedRows === 0n ? notFound() : new Response(null, { status: 204 });
}
`,
  "app/api/notes/middleware.ts": `
import { authMiddleware } from "@framework/auth/middleware";
export const middleware = authMiddleware({ apiKey: true, permission: "notes:read" });
`,
  "app/api/notes/route.ts": `
import { requirePermission } from "@framework/auth";
import type { RequestContext } from "@framework/cli/runtime";
import { z } from "zod";
export const input = {
  POST: z.object({ title: z.string().min(1), at: z.iso.date(), kind: z.enum(["list", "text"]) }),
};
export async function GET(_request: Request, { db }: RequestContext<"/api/notes">) {
  return await db.selectFrom("notes").select("title").execute();
}
export async function POST(_request: Request, { db, input }: RequestContext<"/api/notes", typeof input.POST>) {
  requirePermission("notes:write");
  await db.insertInto("notes").values({ tenant_id: "acme-id", title: input.title }).execute();
  return new Response(null, { status: 201 });
}
`,
  "app/api/feedback/route.ts": `
import { requirePermission } from "@framework/auth";
import type { RequestContext } from "@framework/cli/runtime";
export async function POST(_request: Request, { db }: RequestContext<"/api/feedback">) {
  await db.insertInto("visits").values({ path: "feedback" }).execute();
  return new Response(null, { status: 202 });
}
export async function DELETE(_request: Request, { db }: RequestContext<"/api/feedback">) {
  requirePermission("users:manage");
  await db.deleteFrom("messages").execute();
  return new Response(null, { status: 204 });
}
`,
  // Its limit is counted before its guard: no request may use up that of another one.
  "app/api/limited/route.ts": `
import { requirePermission } from "@framework/auth";
import { createRateLimiter, createSqlRateLimitStorage } from "@framework/auth/rate-limit";
import type { RequestContext } from "@framework/cli/runtime";
const limit = { name: "limited", limit: 1, window: 600, by: "address" } as const;
export async function GET(request: Request, { env }: RequestContext<"/api/limited">) {
  const limiter = createRateLimiter(createSqlRateLimitStorage(env.DB), limit);
  if (!(await limiter.check(request)).success) return new Response(null, { status: 429 });
  requirePermission("users:manage");
  return { limited: true };
}
`,
  "app/api/report/route.ts": `
import { requirePermission } from "@framework/auth";
import type { RequestContext } from "@framework/cli/runtime";
export function POST(_request: Request, { waitUntil }: RequestContext<"/api/report">) {
  requirePermission("users:manage");
  waitUntil(fetch("https://reports.example/send", { method: "POST" }));
  return { sent: true };
}
`,
};

/** One guard less, by a change of one file; and what the message must say of it. */
const PLANTED: [name: string, file: string, change: (text: string) => string, said: RegExp][] = [
  [
    "a page without its middleware",
    "app/admin/middleware.ts",
    () => `export const middleware = (_request: Request, next: () => unknown) => next();`,
    /GET \/admin \(app\/admin\/page\.tsx\)\n {2}- a visitor got 200/,
  ],
  [
    "an action without its permission",
    "app/messages/page.tsx",
    (text) => text.replace(`requirePermission("messages:delete");`, ""),
    /POST \/messages .*\n {2}- a visitor got 303 to \/messages and changed DB\.messages: 1 row removed/,
  ],
  [
    "a route with the permission of another one",
    "app/api/notes/route.ts",
    (text) => text.replace(`requirePermission("notes:write");`, ""),
    /POST \/api\/notes .*\n {2}- a key that may read got 201 and changed DB\.notes: 1 row added/,
  ],
  [
    "a row of whatever tenant",
    "app/t/[tenant]/notes/[id]/route.ts",
    (text) =>
      text.replace(
        /\n.*?\.where\("tenant_id".*?\)\.executeTakeFirst\(\);\n {2}return note/,
        ".executeTakeFirst();\n  return note",
      ),
    /GET \/t\/:tenant\/notes\/:id .*\n {2}- the owner, with a foreign id, got 200\n {4}await ctx\.fetch\("\/t\/acme\/notes\/2"\);/,
  ],
  [
    "a tenant without the question who is a member",
    "app/t/[tenant]/middleware.ts",
    (text) => text.replace("requireMember();", ""),
    /PATCH \/t\/:tenant\/notes\/:id .*\n {2}- a visitor got 204 and changed DB\.notes: 1 row changed/,
  ],
  [
    "a guard behind the change",
    "app/t/[tenant]/notes/[id]/route.ts",
    (text) =>
      text.replace(/ {2}if \(!hasPermission\("team:delete"\)\).*\n/, "")
        .replace(
          "  return numDeletedRows",
          `  if (!hasPermission("team:delete")) return new Response(null, { status: 403 });\n  return numDeletedRows`,
        ),
    /DELETE \/t\/:tenant\/notes\/:id .*\n {2}- a member got 403, but changed DB\.notes: 1 row removed/,
  ],
  [
    "a method that a form overrides",
    "app/api/feedback/route.ts",
    (text) =>
      text.replace(
        `POST(_request: Request, { db }: RequestContext<"/api/feedback">) {`,
        `POST(request: Request, { db }: RequestContext<"/api/feedback">) {
  if (request.headers.get("x-http-method-override") === "DELETE") {
    await db.deleteFrom("messages").execute();
    return new Response(null, { status: 204 });
  }`,
      ),
    /DELETE \/api\/feedback .*\n {2}- a visitor, by an overridden method, got 204 and changed .*DB\.messages: 1 row removed/,
  ],
  [
    "a key of whatever scope",
    "app/api/notes/middleware.ts",
    (text) => text.replace(`, permission: "notes:read"`, ""),
    /GET \/api\/notes .*\n {2}- a user without rights got 200/,
  ],
  [
    "a method HEAD of its own",
    "app/api/report/route.ts",
    (text) =>
      `${text}
export const GET = () => (requirePermission("users:manage"), { reports: 0 });
export const HEAD = () => new Response(null, { headers: { "x-reports": "0" } });
`,
    /GET \/api\/report .*\n {2}- a visitor, by HEAD, got 200/,
  ],
  [
    "work after the answer that was begun before the guard",
    "app/api/report/route.ts",
    (text) => {
      const line = /\n {2}waitUntil\(.*\);/.exec(text)![0];
      return text.replace(line, "").replace(
        "\n  requirePermission",
        `${line}\n  requirePermission`,
      );
    },
    /POST \/api\/report .*\n {2}- a visitor got 401, but changed fetch POST https:\/\/reports\.example\/send: sent/,
  ],
  [
    "a GET that writes",
    "app/api/me/route.ts",
    (text) =>
      text.replace(
        "GET(): Response {",
        `GET(_: Request, { db }: RequestContext<"/api/me">): Promise<Response> {`,
      )
        .replace("export function", "export async function")
        .replace(
          "  return",
          `  await db.updateTable("users").set({ image: "/new.png" }).where("id", "=", id).execute();\n  return`,
        )
        .replace("import", `import type { RequestContext } from "@framework/cli/runtime";\nimport`),
    /GET \/api\/me .*\n {2}- the owner, from another site, got 200 and changed DB\.users: 1 row changed/,
  ],
  [
    "a sign-in page that is somebody else's",
    "app/dashboard/middleware.ts",
    () =>
      `export const middleware = () => new Response(null, { status: 303, headers: { location: "https://login.example/auth/signin" } });`,
    /GET \/dashboard .*\n {2}- a visitor got 303 to https:\/\/login\.example/,
  ],
];

/** Routes that a change of another one leaves alone. */
const ROUTES = [
  "/admin",
  "/admin/activity",
  "/api/feedback",
  "/api/limited",
  "/api/me",
  "/api/notes",
  "/api/report",
  "/dashboard",
  "/messages",
  "/t/:tenant",
  "/t/:tenant/notes/:id",
];

async function ask(
  changes: Record<string, SourceChange>,
  more: Partial<GuardedOptions> = {},
): Promise<GuardedReport> {
  const { cwd, remove } = await copyStarterSource(FILES, changes);
  try {
    await using ctx = await createTestContext<{ DB: SqlDatabase }>({ cwd });
    ctx.onFetch("https://reports.example/*", () => ({ ok: true }));
    const tenants = createSqlTenantStorage(ctx.env.DB);
    for (const slug of ["acme", "globex"]) {
      await tenants.create({ id: `${slug}-id`, slug, name: slug });
      await ctx.db.insertInto("notes").values({ tenant_id: `${slug}-id`, title: slug }).execute();
    }
    await ctx.db.insertInto("messages").values({ id: 1, email: "a@example.com", text: "Hi", at: 0 })
      .execute();
    const owner = (userId: string, id: string, roles = ["owner"]) =>
      ctx.withAuth({ userId, tenant: { id, roles } });
    await ctx.db.insertInto("users").values({ id: "ada", role: "admin" }).execute();
    const ada = await owner("ada", "acme-id");
    const apiKey = { permissions: ["notes:read"] };
    const reader = await ctx.withAuth({ userId: "ada", apiKey });
    const eve = await owner("eve", "acme-id", ["member"]);
    return await assertGuarded(ada, {
      public: ["/", "/contact", "/favicon.svg", "POST /api/feedback"],
      signedIn: ["/dashboard", "/api/me"],
      params: {
        "/t/[tenant]": { own: "acme", foreign: "globex" },
        id: { own: "1", foreign: "2" },
      },
      other: await owner("bob", "globex-id"),
      inputs: { "/messages": { id: "1" } },
      ...more,
      roles: {
        "a key that may read": { as: reader, may: ["GET /api/notes"] },
        "a member": {
          as: eve,
          may: ["/t/[tenant]", "GET /t/[tenant]/notes/[id]", "PATCH /t/[tenant]/notes/[id]"],
        },
      },
    });
  } finally {
    await remove();
  }
}

Deno.test("assertGuarded() finds nothing where every route is guarded", async () => {
  const { routes, requests } = await ask({});
  assert.equal(routes, 15);
  assert.ok(requests > 200, `${requests} requests`);
});

/** The route that a message is about. */
const routeOf = (said: RegExp) => /^\w+ (\S+)/.exec(said.source.replaceAll("\\", ""))![1]!;

/** Those that are planted into one copy: each is of a file and a route of its own. */
const groups: (typeof PLANTED)[] = [];
for (const planted of PLANTED) {
  const [, file, , said] = planted;
  const free = groups.find((group) =>
    group.every((other) => other[1] !== file && routeOf(other[3]) !== routeOf(said))
  );
  if (free === undefined) groups.push([planted]);
  else free.push(planted);
}

for (const group of groups) {
  Deno.test(`assertGuarded() finds ${group.map(([name]) => name).join(", ")}`, async (t) => {
    const looked = group.map(([, , , said]) => routeOf(said));
    const changes = Object.fromEntries(group.map(([, file, change]) => [file, change]));
    const skip = ROUTES.filter((route) => !looked.includes(route));
    const { message } = await ask(changes, { skip }).then(
      () => assert.fail("nothing was found"),
      (error: Error) => error,
    );
    for (const [name, , , said] of group) {
      await t.step(name, () => assert.match(message, said));
    }
  });
}
