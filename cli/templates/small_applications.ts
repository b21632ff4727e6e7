import { starterFiles } from "./starter_files.ts";

/** Template of a new application. */
export type TemplateName = "full" | "bare" | "api";

/** The templates, each with what it is, as the question shows it. */
export const templates: Record<TemplateName, string> = {
  full: "accounts, teams, administration, a database",
  bare: "one page, its layout and a test",
  api: "JSON routes over a database, no pages",
};

/** Files that every template takes from the starter. */
const common = [".gitignore", "deno.json", "package.json", "tsconfig.json", "vitest.config.ts"];

/**
 * Returns the files of a template: path to text, placeholders not filled in.
 *
 * @param template Name of the template.
 */
export function templateFiles(template: TemplateName): Record<string, string> {
  if (template === "full") return starterFiles;
  const shared = Object.fromEntries(common.map((path) => [path, starterFiles[path]!]));
  return template === "api"
    ? { ...shared, "wrangler.jsonc": starterFiles["wrangler.jsonc"]!, ...apiFiles }
    : { ...shared, "package.json": withoutData(shared["package.json"]!), ...bareFiles };
}

/** Settings for editors: TypeScript of the project, and no results from generated folders. */
export const editorFiles: Record<string, string> = {
  ".vscode/settings.json": `{
  "typescript.tsdk": "node_modules/typescript/lib",
  "typescript.enablePromptUseWorkspaceTsdk": true,
  "search.exclude": { ".framework/": true, ".wrangler/": true, "dist/": true },
  "files.watcherExclude": { "**/.wrangler/**": true, "**/dist/**": true }
}
`,
};

/** Notes for programs that write code. */
export const agentFiles: Record<string, string> = {
  "AGENTS.md": `# Notes for coding agents

An application of @framework/cli for edge workers. TypeScript, hono/jsx, Kysely over D1, vitest.

- After a change, run \`npx framework typecheck\`, \`npx framework lint\` and \`npx framework test\`.
- Files have their meaning by their name: \`page.tsx\`, \`layout.tsx\`, \`route.ts\`, \`middleware.ts\`,
  \`error.tsx\`, \`queues/<name>.ts\`, \`cron/<name>.ts\`, \`objects/<name>.ts\`. Create them with
  \`npx framework generate\`, which also writes a test and what \`wrangler.jsonc\` requires.
- \`npx framework routes\` lists the routes; \`npx framework doctor\` finds what is missing, and
  \`npx framework doctor --fix\` writes missing bindings.
- A page's code runs on the server. Only files that begin with \`"use client"\` run in the browser.
- Change the database by a new migration (\`npx framework migrate create <name>\`); never edit one
  that is applied.
- Secrets belong in \`.dev.vars\`, which is not committed, and in \`wrangler secret put\`.
- Import with the extension (\`./name.ts\`); \`#app/\` stands for \`app/\`.
`,
};

/** The manifest of an application that has neither migrations nor input. */
function withoutData(manifest: string): string {
  return manifest.replace(/^\s*"migrate": .*\n/m, "").replace(/,\n\s*"valibot": .*/, "");
}

function readme(about: string, steps: string[], parts: [path: string, content: string][]): string {
  return `# {{name}}

${about}

\`\`\`sh
npm install        # or: deno install
${steps.map((step) => `npm run ${step}\n`).join("")}\`\`\`

With Deno alone: \`deno install\`, ${steps.map((step) => `\`deno task ${step}\``).join(", ")}. The
address is http://localhost:8787.

${parts.map(([path, content]) => `- \`${path}\`: ${content}\n`).join("")}
\`npx framework --help\` lists the commands; \`npx framework generate\` creates further files, and
\`npx framework generate auth\` adds accounts.
`;
}

const bareFiles: Record<string, string> = {
  "README.md": readme("An application of one page.", ["dev"], [
    ["app/page.tsx", "the page"],
    ["app/layout.tsx", "the document around every page"],
    ["tests/", "tests of the whole application; `npm test` runs them"],
  ]),
  "wrangler.jsonc": starterFiles["wrangler.jsonc"]!.replace(
    /,\s*\/\/[^\n]*\n\s*"d1_databases"[^]*$/,
    "\n}\n",
  ),
  "app/layout.tsx": `import type { LayoutProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";

/** The document around every page. */
export default function RootLayout({ children }: LayoutProps<"/">): JSX.Element {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
      </head>
      <body>
        <main>{children}</main>
      </body>
    </html>
  );
}
`,
  "app/page.tsx": `import type { JSX } from "hono/jsx/jsx-runtime";

export const metadata = { title: "{{name}}" };

/** The page at \`/\`. */
export default function HomePage(): JSX.Element {
  return <h1>{{name}}</h1>;
}
`.replace("<h1>{{name}}</h1>", '<h1>{"{{name}}"}</h1>'),
  "tests/app.test.ts": `import { createTestContext } from "@framework/testing";
import { expect, it } from "vitest";

it("the first page shows its heading", async () => {
  await using ctx = await createTestContext();
  const response = await ctx.fetch("/");
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("<h1>{{name}}</h1>");
});
`,
};

const apiFiles: Record<string, string> = {
  "README.md": readme("An API over a database.", ["migrate", "dev"], [
    ["app/notes/route.ts", "`GET` and `POST /notes`"],
    ["app/notes/[id]/route.ts", "`GET` and `DELETE /notes/:id`"],
    ["migrations/", "SQL, applied in order; `migrations/down/` reverts it"],
    ["seeds/development.ts", "data for `npx framework seed`"],
    ["tests/", "tests of the whole application; `npm test` runs them"],
  ]),
  "framework.config.ts": starterFiles["framework.config.ts"]!,
  "app/notes/route.ts": `import { data, type RequestContext } from "@framework/cli/runtime";
import { minLength, object, pipe, string } from "valibot";

/** Input of \`POST\`, as JSON or as a form; all else is refused with 422. */
export const input = object({
  text: pipe(string(), minLength(1, "The note has no text.")),
});

type Context = RequestContext<"/notes", typeof input>;

/** \`GET /notes\` */
export async function GET(_request: Request, { db }: RequestContext<"/notes">): Promise<Response> {
  const notes = await db.selectFrom("notes").select(["id", "text"]).orderBy("id").execute();
  return Response.json(notes);
}

/** \`POST /notes\` with \`{ "text": "…" }\` */
export async function POST(_request: Request, { db, input }: Context) {
  const note = await db.insertInto("notes").values(input).returning(["id", "text"])
    .executeTakeFirstOrThrow();
  return data(note, { status: 201 });
}
`,
  "app/notes/[id]/route.ts":
    `import { notFound, type RequestContext } from "@framework/cli/runtime";

type Context = RequestContext<"/notes/[id]">;

/** \`GET /notes/:id\` */
export async function GET(_request: Request, { db, params }: Context): Promise<Response> {
  const note = await db.selectFrom("notes").select(["id", "text"])
    .where("id", "=", Number(params.id)).executeTakeFirst();
  return note === undefined ? notFound() : Response.json(note);
}

/** \`DELETE /notes/:id\` */
export async function DELETE(_request: Request, { db, params }: Context): Promise<Response> {
  await db.deleteFrom("notes").where("id", "=", Number(params.id)).execute();
  return new Response(null, { status: 204 });
}
`,
  "migrations/0001_notes.sql": `CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL
);
`,
  "migrations/down/0001_notes.sql": "DROP TABLE notes;\n",
  "seeds/development.ts": `import type { Database } from "@framework/cli/runtime";
import type { Kysely } from "kysely";

/** Writes the data of the environment \`development\`. It may run again, and then changes nothing. */
export default async function seed(db: Kysely<Database>): Promise<void> {
  await db.insertInto("notes").values({ id: 1, text: "The first note" })
    .onConflict((conflict) => conflict.doNothing()).execute();
}
`,
  "tests/api.test.ts": `import { createTestContext } from "@framework/testing";
import { expect, it } from "vitest";
import seed from "../seeds/development.ts";

it("creates, lists and deletes notes", async () => {
  await using ctx = await createTestContext({ seed });
  const created = await ctx.fetch("/notes", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "Another" }),
  });
  expect(created.status).toBe(201);
  const { id } = await created.json() as { id: number };
  expect(await (await ctx.fetch(\`/notes/\${id}\`)).json()).toEqual({ id, text: "Another" });

  expect((await ctx.fetch(\`/notes/\${id}\`, { method: "DELETE" })).status).toBe(204);
  expect((await ctx.fetch(\`/notes/\${id}\`)).status).toBe(404);
  expect(await (await ctx.fetch("/notes")).json()).toEqual([{ id: 1, text: "The first note" }]);
});

it("refuses a note without text", async () => {
  await using ctx = await createTestContext();
  const headers = { "content-type": "application/json" };
  const response = await ctx.fetch("/notes", { method: "POST", headers, body: "{}" });
  expect(response.status).toBe(422);
});
`,
};
