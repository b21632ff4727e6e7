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
