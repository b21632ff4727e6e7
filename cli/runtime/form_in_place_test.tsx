import { Form } from "@framework/cli/form";
import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import { readInput } from "./input.ts";
import { invalid } from "./invalid_input.ts";
import { redirect } from "./results.ts";
import type { ActionArgs } from "./types.ts";

const ORIGIN = "http://localhost";

const { worker } = createApplication({
  database: "DB",
  dev: false,
  auth: null,
  input: readInput,
  routes: [{
    kind: "page",
    pattern: "/",
    file: "app/page.tsx",
    module: {
      input: {
        "~standard": {
          version: 1,
          vendor: "test",
          validate: (value: unknown) => ({ value }),
        },
      },
      async action({ context }: ActionArgs & { context: { input: { to: string } } }) {
        const { to } = context.input;
        if (to === "") invalid({ to: "Say where." });
        await Promise.resolve();
        context.flash.set("Sent.");
        context.cookies.set("theme", "dark");
        return redirect(to, to === "/again" ? 307 : 303);
      },
      default: () => <Form>Send</Form>,
    },
    layouts: [],
    middleware: [],
  }, {
    kind: "page",
    pattern: "/old",
    file: "app/old/page.tsx",
    module: { loader: () => redirect("/", 301), default: () => <p /> },
    layouts: [],
    middleware: [],
  }],
});

function post(to: string, headers: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams({ to, password: "hunter2", other: "kept" });
  return worker.fetch(
    new Request(`${ORIGIN}/`, {
      method: "POST",
      headers: { accept: "text/html", origin: ORIGIN, ...headers },
      body,
    }),
    {},
  );
}

for (const kind of ["page", "fields"]) {
  const inPlace = { "x-framework-form": kind };

  Deno.test(`a redirect is for the script to follow: ${kind}`, async () => {
    const answer = await post("https://pay.example/1", inPlace);
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get("location"), "https://pay.example/1");
    assert.equal(answer.headers.getSetCookie().length, 2);
    // What was loaded ahead would show the state of before.
    assert.equal(answer.headers.get("clear-site-data"), '"prefetchCache", "prerenderCache"');
    // The browser itself sends the form again.
    assert.equal((await post("/again", inPlace)).status, 307);
  });

  // Tracks: R071
  Deno.test(`another site cannot send a form in place either: ${kind}`, async () => {
    for (const headers of [{ origin: "https://evil.example" }, { origin: "null" }]) {
      const answer = await post("/next", { ...inPlace, ...headers });
      assert.equal(answer.status, 403);
      assert.equal(answer.headers.get("location"), null);
    }
  });
}

Deno.test("a page is the same with the header, so that nobody can have a cache keep another one", async () => {
  const headers = { "x-framework-form": "page" };
  const answer = await worker.fetch(new Request(`${ORIGIN}/old`, { headers }), {});
  assert.equal(answer.status, 301);
  assert.equal(answer.headers.get("clear-site-data"), null);
});

Deno.test("an ordinary form is redirected by the browser", async () => {
  const answer = await post("/next", {});
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.get("clear-site-data"), null);
});

Deno.test("a refusal is answered with the page, or with its messages and values without secrets", async () => {
  const page = await post("", { "x-framework-form": "page" });
  assert.equal(page.status, 422);
  assert.match(await page.text(), /<form method="post" data-enhance="">Send<\/form>/);
  const fields = await post("", { "x-framework-form": "fields" });
  assert.equal(fields.status, 422);
  const { message, ...rest } = await fields.json();
  assert.equal(typeof message, "string");
  assert.deepEqual(rest, {
    fields: { to: ["Say where."] },
    values: { to: "", other: "kept" },
  });
});
