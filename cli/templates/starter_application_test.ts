import { createMemoryStorage } from "@framework/auth";
import { composeAuth } from "@framework/auth/convention";
import assert from "node:assert/strict";
import { applicationName, starterApplication } from "./starter_application.ts";

const options = { name: "my-app", version: "1.2.3" };

Deno.test("starterApplication() leaves no placeholder", () => {
  for (const [path, text] of Object.entries(starterApplication(options))) {
    assert.doesNotMatch(text, /\{\{(name|version)\}\}/, path);
  }
});

Deno.test("starterApplication() fills in name and version", () => {
  const files = starterApplication(options);
  const manifest = JSON.parse(files["package.json"] ?? "");
  assert.equal(manifest.name, "my-app");
  assert.equal(manifest.devDependencies["@framework/cli"], "^1.2.3");
});

Deno.test("starterApplication() generates a secret that git ignores", () => {
  const bytes = new Uint8Array(32).fill(0xab);
  const files = starterApplication({ ...options, randomBytes: () => bytes });
  assert.match(files[".dev.vars"] ?? "", new RegExp(`^AUTH_SECRET=${"ab".repeat(32)}$`, "m"));
  assert.match(files[".gitignore"] ?? "", /^\.dev\.vars$/m);
  assert.match(files[".dev.vars.example"] ?? "", /^AUTH_SECRET=$/m);
});

Deno.test("starterApplication() generates another secret each time", () => {
  const secrets = [1, 2].map(() => starterApplication(options)[".dev.vars"]);
  assert.match(secrets[0] ?? "", /^AUTH_SECRET=[0-9a-f]{64}$/m);
  assert.notEqual(secrets[0], secrets[1]);
});

Deno.test("starterApplication() writes only relative paths that stay inside", () => {
  for (const path of Object.keys(starterApplication(options))) {
    assert.doesNotMatch(path, /^[/\\]|(^|[/\\])\.\.([/\\]|$)/);
  }
});

Deno.test("an empty PASSKEY_DOMAIN of the starter is none, and a wrong one is refused", async () => {
  // By an address: the types of its environment are those of a project.
  const file = new URL("./starter/app/auth/providers/passkey.ts", import.meta.url).href;
  const { default: passkey } = await import(file);
  const storage = createMemoryStorage();
  const auth = composeAuth({
    config: {},
    providers: { passkey },
    database: () => storage,
    logger: { info() {}, warn() {}, error() {} },
  });
  for (const env of [{ PASSKEY_DOMAIN: "" }, {}]) assert.ok(auth.storage(env));
  assert.throws(() => auth.storage({ PASSKEY_DOMAIN: "https://app.example" }), {
    field: "providers.passkey.rpId",
  });
});

Deno.test("the starter's error pages have a title that stays when the layout gets one with a template", () => {
  const files = Object.entries(starterApplication(options)).filter(([path]) =>
    /\/(?:error|forbidden|not-found|unauthorized)\.tsx$/.test(path)
  );
  assert.equal(files.length, 5);
  for (const [path, text] of files) {
    assert.match(text, /^export const metadata = \{ title: "[^"]+" \};$/m, path);
  }
  for (const [path, text] of Object.entries(starterApplication(options))) {
    assert.ok(!path.startsWith("app/") || !text.includes("<title>"), path);
  }
});

Deno.test("the starter's stylesheet leaves checkboxes and radio buttons beside their labels", () => {
  const styles = starterApplication(options)["public/styles.css"] ?? "";
  const [fields] = /^input:not[^{]*\{[^}]*width: 100%;[^}]*\}/m.exec(styles) ?? [];
  assert.match(fields ?? "", /\[type="checkbox"\], \[type="radio"\][^]*\nselect,\ntextarea \{/);
  assert.match(styles, /^label:has\([^{]*\{\s*display: flex;/m);
});

/** Lines that are neither empty nor a comment. */
function countLines(text: string): number {
  const code = text.replace(/\/\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  return code.split("\n").filter((line) => line.trim() !== "").length;
}

/** Files of the starter whose path matches, each with its lines. */
function linesOf(paths: RegExp): [path: string, lines: number][] {
  return Object.entries(starterApplication(options)).filter(([path]) => paths.test(path))
    .map(([path, text]) => [path, countLines(text)]);
}

function sumOf(lines: [path: string, lines: number][]): number {
  return lines.reduce((all, [, count]) => all + count, 0);
}

Deno.test("the starter has at most 60 lines of its own for accounts, mails and looks among them, and no page of theirs", () => {
  const pages = /^app\/(?:account|forgot|join|log-?in|passwords?|reset|sign-?in|sign-?up|verify)\b/;
  assert.deepEqual(linesOf(pages), []);
  const lines = linesOf(
    /^app\/auth\/(?:config|providers\/(?!(?:team|admin)\.ts).+)\.ts$|^app\/_server\/.*(?:mail|password)/,
  );
  assert.ok(lines.some(([path]) => path === "app/auth/providers/passwords.ts"));
  assert.ok(lines.some(([path]) => path === "app/_server/send_mail.ts"));
  const sum = sumOf(lines);
  assert.ok(sum > 20 && sum <= 60, `${sum} lines: ${JSON.stringify(lines)}`);
});

Deno.test("the starter has 7 lines of its own for teams, invitations and administration, and no table of theirs", () => {
  const lines = linesOf(/^app\/auth\/providers\/(?:team|admin)\.ts$/);
  assert.equal(lines.length, 2);
  assert.equal(sumOf(lines), 7, JSON.stringify(lines));
  const own = starterApplication(options)["migrations/0002_application.sql"] ?? "";
  assert.deepEqual([...own.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name), ["messages"]);
});

Deno.test.each([
  ["My App", "my-app"],
  ["café_Größe", "cafe-gro-e"],
  ["--x--", "x"],
  ["...", "app"],
  ["日本", "app"],
  ["a".repeat(62) + "-b", "a".repeat(62)],
])("applicationName(%o) is %o", (folder, name) => {
  assert.equal(applicationName(folder), name);
});
