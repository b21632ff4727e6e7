import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { splitStatements } from "../../cli/migrate/statements.ts";

/** A request that the stand-in was sent. */
export interface PlatformRequest {
  method: string;
  /** Path below the API's base, without the query. */
  path: string;
}

/** A stand-in for the platform's API, as far as wrangler uses it to deploy a worker and to reach a D1 database. */
export interface PlatformApi {
  /** Environment variables that point wrangler at it. */
  env: Record<string, string>;
  /** Received requests, in order. */
  requests: PlatformRequest[];
  /** The database behind every D1 id. */
  database: DatabaseSync;
  /** Names of the secrets of each worker that exists. */
  secrets: Map<string, string[]>;
  /** Metadata of each worker that was uploaded, by name. */
  uploads: Map<string, Record<string, unknown>>;
  /** Source maps of the last upload, by the names of their files. */
  sourceMaps: Map<string, { sources: string[] }>;
  /** Refuses the next upload with this message. */
  refuse: string | undefined;
  [Symbol.asyncDispose](): Promise<void>;
}

const base = "/client/v4";
const account = "test-account";

/** Starts the stand-in on a free port. */
export function startPlatformApi(): PlatformApi {
  const database = new DatabaseSync(":memory:");
  const files = new Map<string, string>();
  const api: PlatformApi = {
    env: {},
    requests: [],
    database,
    secrets: new Map(),
    uploads: new Map(),
    sourceMaps: new Map(),
    refuse: undefined,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      database.close();
    },
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const path = pathname.replace(`${base}/accounts/${account}`, "");
    api.requests.push({ method: request.method, path });
    if (request.method === "PUT" && path.startsWith("/upload/")) {
      const text = await request.text();
      files.set(path.slice("/upload/".length), text);
      return new Response(null, { headers: { etag: md5(text) } });
    }
    const [, kind, name = "", action = ""] = /^\/d1\/database\/[^/]+\/(query|import)$/.exec(path) ??
      /^\/workers\/(scripts|services)\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    if (kind === "query") return query(await request.json());
    if (kind === "import") return importFile(await request.json());
    if (kind !== undefined) return await worker(request, name, action);
    if (path === "/workers/subdomain") return ok({ subdomain: "test" });
    return ok({});
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  api.env = {
    CLOUDFLARE_API_BASE_URL: `${origin}${base}`,
    CLOUDFLARE_API_TOKEN: "test-token",
    CLOUDFLARE_ACCOUNT_ID: account,
  };
  return api;

  function query({ sql }: { sql: string }): Response {
    return atomically(() =>
      ok(
        splitStatements(sql).map(({ text }) => ({
          results: database.prepare(text).all(),
          success: true,
          meta: { duration: 0 },
        })),
      )
    );
  }

  function importFile(
    { action, filename = "", etag }: { action: string; filename?: string; etag: string },
  ): Response {
    if (action === "init") {
      return ok({ success: true, filename: etag, ["upload_url"]: `${origin}/upload/${etag}` });
    }
    return atomically(() => {
      const statements = splitStatements(files.get(filename) ?? "");
      for (const { text } of statements) database.exec(text);
      return ok({
        success: true,
        status: "complete",
        messages: [],
        result: {
          ["num_queries"]: statements.length,
          ["final_bookmark"]: "1",
          meta: { duration: 0, ["rows_read"]: 0, ["rows_written"]: 0, ["size_after"]: 0 },
        },
      });
    });
  }

  function atomically(work: () => Response): Response {
    database.exec("BEGIN");
    try {
      const response = work();
      database.exec("COMMIT");
      return response;
    } catch (error) {
      database.exec("ROLLBACK");
      return failure(400, 7500, error instanceof Error ? error.message : String(error));
    }
  }

  async function worker(request: Request, name: string, action: string): Promise<Response> {
    const exists = api.secrets.has(name) || api.uploads.has(name);
    if (action === "assets-upload-session") return ok({ jwt: "assets", buckets: [] });
    // A new worker is uploaded whole, one that exists gets a version.
    const isUpload = request.method === "PUT"
      ? action === ""
      : request.method === "POST" && action === "versions";
    if (isUpload) {
      if (api.refuse !== undefined) return failure(400, 10021, api.refuse);
      const form = await request.formData();
      api.uploads.set(name, JSON.parse(String(form.get("metadata"))));
      api.sourceMaps.clear();
      for (const [file, part] of form) {
        if (!(part instanceof File) || part.type !== "application/source-map") continue;
        api.sourceMaps.set(file, JSON.parse(await part.text()));
      }
      return ok({
        id: "version-1",
        ["deployment_id"]: "version-1",
        etag: "1",
        ["startup_time_ms"]: 1,
        resources: { script: { etag: "1" } },
      });
    }
    if (!exists) return failure(404, 10007, "This Worker does not exist on your account.");
    if (action === "secrets") {
      return ok((api.secrets.get(name) ?? []).map((name) => ({ name, type: "secret_text" })));
    }
    if (action === "deployments") return ok({ deployments: [] });
    if (action === "subdomain") return ok({ enabled: true, ["previews_enabled"]: true });
    return ok({ ["default_environment"]: { environment: "production", script: { id: name } } });
  }
}

function ok(result: unknown): Response {
  return Response.json({ success: true, errors: [], messages: [], result });
}

function failure(status: number, code: number, message: string): Response {
  return Response.json(
    { success: false, errors: [{ code, message }], messages: [], result: null },
    {
      status,
    },
  );
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
