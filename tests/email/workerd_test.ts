import assert from "node:assert/strict";
import { Miniflare, type Request as WorkerRequest, Response as WorkerResponse } from "miniflare";
import type { EmailParams } from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { bundleEntries } from "../support/bundle.ts";
import { inMatrix } from "../support/matrix.ts";

const ORIGIN = "http://localhost:8787";
const OPTIONS = { sanitizeOps: false, sanitizeResources: false };

interface WorkerSite {
  post(path: string, fields: Record<string, string>, cookie?: string): Promise<Reply>;
  count(table: string): Promise<number>;
}

interface Reply {
  status: number;
  cookies: string[];
  text: string;
}

/** Mails of all tests. */
const outbox: EmailParams[] = [];
/** Response of the mail service. */
const mail = { status: 202 };
/** Workers over one database; the first of them alone stands for an application of one isolate. */
const NAMES = ["one", "two"];
let miniflare: Miniflare;
let database: Awaited<ReturnType<Miniflare["getD1Database"]>>;
Deno.test.beforeAll(async () => {
  const [bundle] = await bundleEntries([new URL("./worker.ts", import.meta.url).pathname], {
    minify: true,
  });
  miniflare = new Miniflare({
    workers: NAMES.map((name) => ({
      name,
      modules: true,
      script: bundle!.text,
      compatibilityDate: "2026-07-01",
      compatibilityFlags: ["nodejs_compat"],
      d1Databases: { DB: "auth" },
      serviceBindings: {
        async MAIL(request: WorkerRequest) {
          outbox.push(await request.json() as EmailParams);
          return new WorkerResponse(null, { status: mail.status });
        },
      },
    })),
  });
  database = await miniflare.getD1Database("DB", NAMES[0]);
  const statements = authSchema.up.split(/;\n/).map((one) => one.trim()).filter(Boolean);
  await database.batch(statements.map((sql) => database.prepare(sql)));
});
Deno.test.afterAll(async () => {
  await (miniflare as Miniflare | undefined)?.dispose();
});

/** Runs a test with one worker, or with two isolates of it in turn. */
async function withWorker(
  work: (site: WorkerSite) => Promise<void>,
  names: readonly string[] = NAMES.slice(0, 1),
): Promise<void> {
  // What the types of miniflare call a worker needs the types of the whole platform.
  const workers = await Promise.all(
    names.map((name) => miniflare.getWorker(name)),
  ) as unknown as { fetch: typeof miniflare.dispatchFetch }[];
  const doors = workers.length === 1
    ? [miniflare.dispatchFetch]
    : workers.map((worker): typeof miniflare.dispatchFetch => (url, init) =>
      worker.fetch(url, init)
    );
  let turn = 0;
  await work({
    async post(path, fields, cookie) {
      const response = await doors[turn++ % doors.length]!(`${ORIGIN}/auth${path}`, {
        method: "POST",
        redirect: "manual",
        headers: {
          "origin": ORIGIN,
          "content-type": "application/x-www-form-urlencoded",
          ...(cookie !== undefined && { cookie }),
        },
        body: new URLSearchParams(fields).toString(),
      });
      const cookies = response.headers.getSetCookie()
        .filter((line) => !/framework\.(?:known|last)=/.test(line));
      return { status: response.status, cookies, text: await response.text() };
    },
    async count(table) {
      const row = await database.prepare(`SELECT count(*) AS n FROM ${table}`)
        .first<{ n: number }>();
      return row!.n;
    },
  });
}

/** Uses one link or code a hundred times at once, in several rounds. */
async function race({ post, count }: WorkerSite, rounds: number): Promise<void> {
  const before = await count("sessions");
  for (let round = 1; round <= rounds; round++) {
    const address = `ada${before + round}@example.com`;
    const asked = await post("/signin/email", { email: address });
    assert.equal(asked.status, 303, asked.text);
    const cookie = asked.cookies[0]!.split(";")[0]!;
    const { token, code, identifier, url } = outbox.at(-1)!;
    assert.equal(new URL(url).origin, ORIGIN);
    const answers = await Promise.all(
      Array.from(
        { length: 100 },
        () =>
          round % 2 === 0
            ? post("/callback/email", { token, email: identifier })
            : post("/callback/email/code", { code: code! }, cookie),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 303).length, 1, `round ${round}`);
    assert.equal(answers.flatMap(({ cookies }) => cookies).length, 1);
    assert.equal(await count("sessions"), before + round);
  }
}

// Tracks: R017, GHSA-hc7v-rggr-4hvx, F01, K5
Deno.test(
  "in workerd with D1, of a hundred uses of one link or code at once one signs in",
  OPTIONS,
  // Half of them with the link, half with the code.
  () => withWorker((site) => race(site, inMatrix ? 20 : 2)),
);

// Tracks: R017, F01
Deno.test(
  "in two isolates over one D1, of a hundred uses at once one signs in",
  OPTIONS,
  // Of the code alone on each push: what a link and a code are taken out of is one row.
  () => withWorker((site) => race(site, inMatrix ? 4 : 1), ["one", "two"]),
);

// Tracks: R027
Deno.test(
  "in workerd a mail service that fails is a clean page, and asking again works",
  OPTIONS,
  () =>
    withWorker(async ({ post }) => {
      outbox.length = 0;
      mail.status = 500;
      const failed = await post("/signin/email", { email: "ada@example.com" });
      assert.equal(failed.status, 503);
      assert.match(
        failed.text,
        /role="alert">[^]*<p>We could not send the email\. Try again in a moment\.<\/p>/,
      );
      assert.equal(failed.text.includes(outbox[0]!.token), false);
      mail.status = 202;
      assert.equal((await post("/signin/email", { email: "ada@example.com" })).status, 303);
      const { token, identifier: email } = outbox[1]!;
      const { status, cookies } = await post("/callback/email", { token, email });
      assert.equal(status, 303);
      assert.match(cookies[0]!, /^framework\.session-token=/);
    }),
);
