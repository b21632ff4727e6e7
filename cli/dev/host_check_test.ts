import assert from "node:assert/strict";
import { createHostCheck } from "./host_check.ts";

// Tracks: R157
for (
  const host of [
    "localhost:8787",
    "LOCALHOST",
    "app.localhost:8787",
    "127.0.0.1:8787",
    "[::1]:8787",
    "dev.example.com",
  ]
) {
  Deno.test(`createHostCheck() answers ${host}`, () => {
    assert.equal(createHostCheck("localhost", ["dev.example.com"])(host), true);
  });
}

// Tracks: R157
for (
  const host of [
    undefined,
    "",
    "evil.example",
    "localhost.evil.example",
    "evil-localhost",
    "127.0.0.1.evil.example",
    "localhost:8787@evil.example",
    "localhost, evil.example",
    "evil.example#localhost",
    "[::2]",
    "x.dev.example.com",
  ]
) {
  Deno.test(`createHostCheck() refuses ${host}`, () => {
    assert.equal(createHostCheck("localhost", ["dev.example.com"])(host), false);
  });
}

Deno.test("createHostCheck() answers the address that the server listens on", () => {
  assert.equal(createHostCheck("192.0.2.7", [])("192.0.2.7:80"), true);
  assert.equal(createHostCheck("localhost", [])("192.0.2.7:80"), false);
});
