import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { listFiles, readJson, repositoryRoot } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";

/** Address of a file of the repository. */
function address(path: string): string {
  return pathToFileURL(join(repositoryRoot, path)).href;
}

/** The import map of the repository, with {@linkcode createAuth} of `described_auth.ts` in the place of the library's. */
async function writeImportMap(file: string): Promise<void> {
  const { imports: own } = await readJson("deno.json");
  const imports = new Map(Object.entries(own as Record<string, string>));
  for (const folder of ["auth", "cli", "testing"]) {
    const { name, exports } = await readJson(`${folder}/deno.json`);
    for (const [entry, path] of Object.entries(exports as Record<string, string>)) {
      imports.set(name + entry.slice(1), `./${folder}/${path.slice(2)}`);
    }
  }
  for (const [name, target] of imports) {
    if (target.startsWith("./")) imports.set(name, address(target));
  }
  const [library, described] = [
    address("auth/app/create_auth.ts"),
    address("tests/openapi/described_auth.ts"),
  ];
  imports.set(library, described);
  const map = {
    imports: Object.fromEntries(imports),
    scopes: { [described]: { [library]: library } },
  };
  await Deno.writeTextFile(file, JSON.stringify(map));
}

/** Tests that send requests to an application within their own process. */
async function testsOfEndpoints(): Promise<string[]> {
  const found: string[] = [];
  for (const folder of ["auth", "tests/tenants", "tests/oauth"]) {
    for (const name of await listFiles(join(repositoryRoot, folder))) {
      if (!name.endsWith("_test.ts") || name.includes("workerd")) continue;
      const text = await Deno.readTextFile(join(repositoryRoot, folder, name));
      if (/createAuth|application\.ts/.test(text)) found.push(`${folder}/${name}`);
    }
  }
  return found;
}

/** Runs tests against applications that are held against their documents, and returns what was found. */
async function run(files: string[]): Promise<{ count: number; wrong: string[] }> {
  const folder = await Deno.makeTempDir({ prefix: "framework-exchanges-" });
  const [map, report] = [join(folder, "map.json"), join(folder, "report.jsonl")];
  try {
    await writeImportMap(map);
    await Deno.writeTextFile(report, "");
    const { code, stderr, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--no-check", "--parallel", `--import-map=${map}`, ...files],
      cwd: repositoryRoot,
      env: { DESCRIBED_REPORT: report, NO_COLOR: "1" },
    }).output();
    const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
    assert.equal(code, 0, text.slice(-2000));
    const lines = (await Deno.readTextFile(report)).trim().split("\n");
    const exchanges = lines.map((line) =>
      JSON.parse(line) as { name: string; wrong: string | null }
    );
    const wrong = exchanges.filter(({ wrong }) => wrong !== null)
      .map(({ name, wrong }) => `${name}: ${wrong}`);
    return { count: exchanges.length, wrong: [...new Set(wrong)] };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("every answer to the tests of sign-up, second factor, keys, accounts and teams is as its document says", async () => {
  const { count, wrong } = await run([
    "auth/sign_in/password/sign_up_test.ts",
    "auth/sign_in/second_factor/second_factor_set_up_test.ts",
    "auth/api_key/api_key_test.ts",
    "auth/team/team_page_test.ts",
    "auth/team/team_invitation_test.ts",
    "auth/account/account_page_test.ts",
    "auth/account/email_change_test.ts",
    "auth/account/admin_page_test.ts",
  ]);
  assert.deepEqual(wrong, []);
  assert.ok(count > 500, `${count} exchanges`);
});

if (inMatrix) {
  Deno.test("every answer to all tests of the endpoints is as its document says", async () => {
    const { count, wrong } = await run(await testsOfEndpoints());
    assert.deepEqual(wrong, []);
    assert.ok(count > 50_000, `${count} exchanges`);
  });
}
