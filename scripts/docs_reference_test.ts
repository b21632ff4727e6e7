import assert from "node:assert/strict";
import { entryNames, nameEntries } from "./docs_reference.ts";
import type { Member } from "./workspace.ts";

const member = {
  folder: "auth",
  name: "@framework/auth",
  exports: { ".": "./mod.ts", "./rate-limit": "./rate_limit.ts", "./again": "./mod.ts" },
} as unknown as Member;
const names = entryNames({ members: [member] });

Deno.test("entryNames() names each file by the first entry that it is", () => {
  assert.deepEqual([...names], [
    ["auth/mod.ts", "@framework/auth"],
    ["auth/rate_limit.ts", "@framework/auth/rate-limit"],
  ]);
});

Deno.test("nameEntries() names entries as users import them, and leaves addresses alone", () => {
  const page = nameEntries(
    `<title>createAuth - auth/mod.ts - framework documentation</title>` +
      `<a href="..&#x2F;auth&#x2F;mod.ts&#x2F;index.html">auth&#x2F;mod.ts</a>` +
      `import * as mod from &quot;auth/mod.ts&quot;; import { x } from &quot;auth/rate_limit.ts&quot;;`,
    names,
  );
  assert.equal(
    page,
    `<title>createAuth - @framework/auth - framework documentation</title>` +
      `<a href="..&#x2F;auth&#x2F;mod.ts&#x2F;index.html">@framework/auth</a>` +
      `import * as auth from &quot;@framework/auth&quot;; ` +
      `import { x } from &quot;@framework/auth/rate-limit&quot;;`,
  );
});

Deno.test("nameEntries() leads from every page to the documentation", () => {
  const page = nameEntries(
    `<li><a href="..&#x2F;..&#x2F;" class="contextLink">framework</a></li>`,
    names,
  );
  assert.match(page, /<a href="\.\.\/\.\.\/\.\.\/index\.html" class="contextLink">framework<\/a>/);
  assert.match(page, /<a href="\.\.\/\.\.\/\.\.\/reference\.html" class="contextLink">Reference</);
});
