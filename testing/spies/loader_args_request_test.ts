import assert from "node:assert/strict";
import { createMockRequest } from "./loader_args.ts";

Deno.test("createMockRequest() is a GET without a body", () => {
  const request = createMockRequest("/a?b=c");
  assert.equal(request.method, "GET");
  assert.equal(request.url, "http://localhost/a?b=c");
});

Deno.test("createMockRequest() takes method, headers and absolute addresses", () => {
  const request = createMockRequest("https://acme.example/x", {
    method: "DELETE",
    headers: { "x-a": "1" },
  });
  assert.equal(request.method, "DELETE");
  assert.equal(request.url, "https://acme.example/x");
  assert.equal(request.headers.get("x-a"), "1");
});

Deno.test("createMockRequest() writes objects and lists as JSON, with the caller's own type", async () => {
  const list = createMockRequest("/", {
    method: "PUT",
    body: [1],
    headers: { "content-type": "application/vnd.api+json" },
  });
  assert.equal(list.method, "PUT");
  assert.equal(list.headers.get("content-type"), "application/vnd.api+json");
  assert.deepEqual(await list.json(), [1]);
});

Deno.test("createMockRequest() keeps forms, texts and bytes as they are", async () => {
  const form = createMockRequest("/", { body: new URLSearchParams({ a: "1" }) });
  assert.equal(form.method, "POST");
  assert.equal((await form.formData()).get("a"), "1");
  assert.equal(await createMockRequest("/", { body: "text" }).text(), "text");
  const bytes = await createMockRequest("/", { body: new Uint8Array([1, 2]) }).arrayBuffer();
  assert.deepEqual([...new Uint8Array(bytes)], [1, 2]);
});

Deno.test("createMockRequest() keeps paths that look like hosts, as a server sees them", () => {
  for (const path of ["//evil.example/x", "/\\evil.example/x"]) {
    assert.equal(createMockRequest(path).url, "http://localhost//evil.example/x");
  }
});
