// What an application writes for a page of teams, one of administrators, and keys: the lines of the guides, with and without.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Auth } from "@framework/auth";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { codeBlocks, readDocument } from "./markdown.ts";

interface Guide {
  file: string;
  /** The name that the application imports. */
  name: string;
  /** What stands in the configuration. */
  call: string;
  /** Lines besides the import. */
  lines: number;
  /** Other names that stand for it. */
  also?: string;
  path: string;
  /** Status of the page for a visitor, who is led to the sign-in page or told to sign in. */
  status: number;
}

const GUIDES: readonly Guide[] = [
  {
    file: "docs/teams.md",
    name: "teamPage",
    call: "    teamPage({ sendMail, canCreate: true }), // this line, and its import\n",
    lines: 1,
    path: "/auth/team",
    status: 303,
  },
  {
    file: "docs/administration.md",
    name: "adminPage",
    call: '    adminPage({ permission: "users:manage" }),\n',
    lines: 1,
    path: "/auth/admin",
    status: 303,
  },
  {
    file: "docs/api_keys.md",
    name: "apiKeys",
    call: ', apiKeys({ prefix: "acme" })',
    lines: 2,
    also: "apiKey: true",
    path: "/auth/api-keys",
    status: 401,
  },
];

/** Status of the page of an application that has the configuration of a guide. */
async function statusOf(code: string, { path }: Guide): Promise<number> {
  const folder = join(repositoryRoot, "tests/output/own_lines");
  await Deno.mkdir(folder, { recursive: true });
  const file = join(folder, `${crypto.randomUUID()}.ts`);
  await Deno.writeTextFile(file, code);
  try {
    const { auth } = await import(pathToFileURL(file).href) as { auth: Auth<unknown> };
    const response = await auth.handle(new Request(`http://localhost${path}`), {});
    await response?.body?.cancel();
    return response?.status ?? 404;
  } finally {
    await Deno.remove(file);
  }
}

for (const guide of GUIDES) {
  const { file, name, call, lines, also } = guide;
  Deno.test({
    name: `${file}: an application has it by the name of an import and ${lines} of its own lines`,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const [block] = codeBlocks(file, await readDocument(file))
        .filter(({ language, text }) => language === "ts" && text.includes(`${name}(`));
      const { text } = block!;
      const own = text.split("\n").filter((line) =>
        !line.startsWith("import ") && line.trim() !== `${name},` &&
        (line.includes(name) || also !== undefined && line.includes(also))
      );
      assert.equal(own.length, lines, own.join("\n"));
      assert.ok(text.includes(call));
      // The configuration alone: what a guide shows of its use comes after it.
      const end = text.indexOf("\n});\n", text.indexOf("createAuth({")) + 5;
      const configuration = text.slice(0, end).replace(
        /^(?:export )?const auth =/m,
        "export const auth =",
      );
      assert.equal(await statusOf(configuration, guide), guide.status);
      const without = configuration.replace(call, "");
      assert.notEqual(without, configuration);
      assert.equal(await statusOf(without, guide), 404);
    },
  });
}
