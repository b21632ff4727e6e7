import assert from "node:assert/strict";
import { join } from "node:path";
import { withProject } from "../../tests/support/command_line.ts";
import { isDevVarsCommittable } from "./secrets.ts";

Deno.test("isDevVarsCommittable() looks from the project up to the repository", () =>
  withProject({
    ".git/HEAD": "",
    "open/.gitignore": "dist\n#.dev.vars\n",
    "closed/.gitignore": "/.dev.vars\r\n",
    "parent/.gitignore": ".dev.vars*\n",
    "parent/app/a": "",
  }, (root) => {
    assert.equal(isDevVarsCommittable(join(root, "open")), true);
    assert.equal(isDevVarsCommittable(join(root, "closed")), false);
    assert.equal(isDevVarsCommittable(join(root, "parent", "app")), false);
  }));

Deno.test("isDevVarsCommittable() is false where there is no repository", () =>
  withProject({}, (root) => assert.equal(isDevVarsCommittable(root), false)));
