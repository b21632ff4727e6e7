import assert from "node:assert/strict";
import { authSchema } from "@framework/auth/storage";
import { starterFiles } from "./starter_files.ts";

Deno.test("the starter's first migration is the schema of @framework/auth, up and down", () => {
  assert.equal(starterFiles["migrations/0001_auth.sql"], authSchema.up);
  assert.equal(starterFiles["migrations/down/0001_auth.sql"], authSchema.down);
});
