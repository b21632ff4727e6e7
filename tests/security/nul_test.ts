// A text with NUL in each field of each endpoint, over PostgreSQL, which holds no such text.
import { createAuth, setUserRoles } from "@framework/auth";
import { describeAuth, type OpenApiDocument } from "@framework/auth/openapi";
import { postgres, postgresSchema } from "@framework/auth/postgres";
import {
  createSqlTenantMembers,
  createSqlTenantStorage,
  defineTenancy,
} from "@framework/auth/tenant";
import assert from "node:assert/strict";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { everything } from "../openapi/everything.ts";
import { startPostgres } from "../support/postgres.ts";

const bin = await findPostgres();
const ORIGIN = "https://app.example";
const NUL = "a\0b";
/** Words by which the adapter of the database refuses. */
const OF_DATABASE = "which PostgreSQL cannot hold";

/** An administrator who owns a team, and a user; again after a request that has changed them. */
const SEED = `
INSERT INTO users (id, created_at, updated_at) VALUES ('ada', 0, 0), ('eve', 0, 0) ON CONFLICT DO NOTHING;
INSERT INTO tenants (id, slug, name, created_at, updated_at) VALUES ('t1', 'acme', 'Acme', 0, 0)
  ON CONFLICT DO NOTHING;
INSERT INTO tenant_members (tenant_id, user_id, roles, created_at)
  VALUES ('t1', 'ada', '["owner"]', 0), ('t1', 'eve', '[]', 0) ON CONFLICT DO NOTHING;`;

/** Values by which a request comes as far as the database; any other field is "x". */
const VALUES: Readonly<Record<string, string>> = {
  email: "eve@example.com",
  for: "900",
  id: "eve",
  password: "a sentence that only tests use",
  permissions: "posts:read",
  pin: "1234",
  provider: "github",
  role: "owner",
  shown: "[]",
  team: "acme",
  user: "eve",
};

/** Part of an operation in the document that is read here. */
interface Described {
  parameters?: { in: string; name: string }[];
  requestBody?: {
    content: Record<string, { schema: { properties?: object; required?: string[] } }>;
  };
}

/** An operation, and the names of what it may be sent and of what it must. */
interface Sent {
  method: string;
  path: string;
  query: string[];
  fields: string[];
  required: string[];
}

function readOperations({ paths }: OpenApiDocument): Sent[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Described>).map((
      [method, { parameters = [], requestBody }],
    ) => {
      const { properties = {}, required = [] } = requestBody?.content["application/json"]?.schema ??
        {};
      return {
        method: method.toUpperCase(),
        path,
        query: parameters.filter((one) => one.in === "query").map((one) => one.name),
        fields: Object.keys(properties),
        required,
      };
    })
  );
}

/** The requests of an operation, each with NUL in another place. */
function* requestsOf({ method, path, query, fields, required }: Sent): Generator<Request> {
  const url = new URL(`${ORIGIN}/auth${path.replace(/\{\w+\}/g, encodeURIComponent(NUL))}`);
  const headers = { origin: ORIGIN, accept: "application/json" };
  const body = (changed?: string) =>
    method === "GET" ? null : new URLSearchParams(
      fields.filter((name) => name === changed || required.includes(name))
        .map((name) => [name, name === changed ? NUL : VALUES[name] ?? "x"]),
    );
  if (path.includes("{")) yield new Request(url, { method, headers, body: body() });
  for (const name of query) {
    const asked = new URL(url);
    for (const other of query) asked.searchParams.set(other, VALUES[other] ?? "x");
    asked.searchParams.set(name, NUL);
    yield new Request(asked, { method, headers, body: body() });
  }
  for (const name of fields) yield new Request(url, { method, headers, body: body(name) });
}

/** The Cookie header of the administrator, who has just signed in. */
async function signIn(auth: ReturnType<typeof createAuth>): Promise<string> {
  await auth.run(new Request(ORIGIN), {}, undefined, async () => {
    await setUserRoles("ada", { role: "admin" });
    return new Response();
  });
  const request = new Request(`${ORIGIN}/auth/signin/pin`, {
    method: "POST",
    headers: { origin: ORIGIN, accept: "application/json" },
    body: new URLSearchParams({ pin: "1234" }),
  });
  const response = (await auth.handle(request, {}))!;
  assert.equal(response.status, 200, await response.text());
  return response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
}

// Tracks: K11, F32
Deno.test({
  name: `no text with NUL makes any endpoint fail over PostgreSQL${
    bin === null ? ` [unavoidable: ${postgresHint}]` : ""
  }`,
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { admin, pool, stop } = await startPostgres(bin!);
    try {
      await admin.query(postgresSchema.up);
      const database = postgres(pool);
      const auth = createAuth({
        ...everything(ORIGIN),
        database,
        tenancy: defineTenancy({
          strategy: "path",
          storage: createSqlTenantStorage(database),
          members: createSqlTenantMembers(database),
        }),
        rateLimit: false,
        logger: { info() {}, warn() {}, error() {} },
      });
      const failed: string[] = [];
      let count = 0;
      const stopped = new Set<string>();
      for (const administration of [false, true]) {
        for (const sent of readOperations(describeAuth(auth, {}, { administration }))) {
          for (const request of requestsOf(sent)) {
            count++;
            await admin.query(SEED);
            request.headers.set("cookie", await signIn(auth));
            const what = `${request.method} ${request.url} ${await request.clone().text()}`;
            const response = (await auth.handle(request, {}))!;
            const text = await response.text();
            if (response.status >= 500) failed.push(`${response.status} ${what}`);
            if (response.status === 400 && text.includes(OF_DATABASE)) {
              assert.equal(JSON.parse(text).code, "BAD_REQUEST", what);
              stopped.add(`${sent.method} ${sent.path}`);
            }
          }
        }
      }
      assert.ok(count > 100, String(count));
      // Others are refused before anything is asked of the database.
      assert.ok(stopped.size > 10, [...stopped].join(", "));
      assert.deepEqual(failed, []);
    } finally {
      await stop();
    }
  },
});
