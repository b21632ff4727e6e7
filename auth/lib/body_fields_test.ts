import assert from "node:assert/strict";
import { ConfigurationError, RequestError } from "../errors.ts";
import { readFields } from "./body.ts";

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";

function post(type: string | null, body: BodyInit | null): Request {
  const request = new Request("http://localhost/", { method: "POST", body });
  if (type === null) request.headers.delete("content-type");
  else request.headers.set("content-type", type);
  return request;
}

async function read(type: string | null, body: BodyInit | null, optional = false) {
  return Object.fromEntries(await readFields(post(type, body), { optional }));
}

async function codeOf(
  type: string | null,
  body: BodyInit | null,
  optional = false,
): Promise<string> {
  try {
    await readFields(post(type, body), { optional });
    return "read";
  } catch (error) {
    assert.ok(error instanceof RequestError, String(error));
    return error.code;
  }
}

Deno.test("readFields() reads forms and flat JSON objects", async () => {
  assert.deepEqual(await read(FORM, "a=1&b=x+y%26"), { a: "1", b: "x y&" });
  assert.deepEqual(await read(`${FORM.toUpperCase()}; charset=UTF-8`, "a=%C3%A9"), { a: "é" });
  assert.deepEqual(await read(JSON_TYPE, '{"a":"1","b":"é"}'), { a: "1", b: "é" });
});

// Tracks: R074, R082
Deno.test("readFields() answers 415 for every other type", async () => {
  for (
    const type of [
      "text/plain",
      "text/plain; application/json",
      "multipart/form-data; boundary=x",
      "",
      "application/jsonp",
    ]
  ) {
    assert.equal(await codeOf(type, '{"a":"1"}'), "UNSUPPORTED_MEDIA_TYPE", type);
  }
  assert.equal(await codeOf(null, new TextEncoder().encode("a=1")), "UNSUPPORTED_MEDIA_TYPE");
  assert.equal(await codeOf(null, new TextEncoder().encode("a=1"), true), "UNSUPPORTED_MEDIA_TYPE");
  assert.equal(await codeOf(null, null), "UNSUPPORTED_MEDIA_TYPE");
});

Deno.test("readFields() lets a body be left out where it is optional", async () => {
  assert.deepEqual(await read(null, null, true), {});
  assert.deepEqual(await read(null, new Uint8Array(), true), {});
  assert.deepEqual(await read(JSON_TYPE, "", true), {});
});

// Tracks: R082, F30
Deno.test("readFields() answers 413 above 32 KiB and stops reading there", async () => {
  assert.equal(await codeOf(FORM, `a=${"x".repeat(32 * 1024 - 2)}`), "read");
  assert.equal(await codeOf(FORM, `a=${"x".repeat(32 * 1024 - 1)}`), "PAYLOAD_TOO_LARGE");
  let pulled = 0;
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled++;
        controller.enqueue(new Uint8Array(1024).fill(97));
      },
    });
  assert.equal(await codeOf(FORM, endless()), "PAYLOAD_TOO_LARGE");
  const lying = post(FORM, endless());
  lying.headers.set("content-length", "8");
  await assert.rejects(readFields(lying, { optional: false }), { code: "PAYLOAD_TOO_LARGE" });
  assert.ok(pulled < 128, `${pulled} chunks`);
});

// Tracks: R154
Deno.test("readFields() answers 400 for what is malformed", async () => {
  for (
    const body of [
      "",
      "x",
      "null",
      "[]",
      '"a"',
      "5",
      '{"a":1}',
      '{"a":null}',
      '{"a":{"b":"c"}}',
      '{"a":["b"]}',
      "{",
      "[".repeat(30_000),
    ]
  ) {
    assert.equal(await codeOf(JSON_TYPE, body), "BAD_REQUEST", body.slice(0, 40));
  }
  assert.equal(await codeOf(FORM, "a=1&a=2"), "BAD_REQUEST");
  assert.equal(await codeOf(JSON_TYPE, new Uint8Array([0x22, 0xff, 0x22])), "BAD_REQUEST");
  // As every reader writes it in the place of such bytes, so that all refuse the same.
  assert.equal(await codeOf(JSON_TYPE, '{"a":"\uFFFD"}'), "BAD_REQUEST");
  assert.deepEqual(await read(JSON_TYPE, '{"a":"\\uFFFD"}'), { a: "\uFFFD" });
  assert.deepEqual(await read(FORM, "a=%EF%BF%BD"), { a: "\uFFFD" });
});

// Tracks: R154
Deno.test("readFields() takes names of the prototype for names like others", async () => {
  const fields = await readFields(post(JSON_TYPE, '{"__proto__":"x","constructor":"y"}'), {
    optional: false,
  });
  assert.equal(fields.get("__proto__"), "x");
  assert.equal(({} as Record<string, unknown>).x, undefined);
});

// Tracks: F36
Deno.test("readFields() answers 400 when the body breaks off", async () => {
  const body = new ReadableStream({
    pull(controller) {
      controller.error(new TypeError("connection lost"));
    },
  });
  const request = new Request("https://app.example/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  await assert.rejects(
    readFields(request, { optional: false }),
    (error) => error instanceof RequestError && error.status === 400,
  );
});

// Tracks: AU-12
Deno.test("readFields() says that something else has read the body, which is not the client's fault", async () => {
  const request = new Request("http://localhost/auth/signin/credentials", {
    method: "POST",
    body: new URLSearchParams({ pin: "1234" }),
  });
  await request.text();
  await assert.rejects(readFields(request, { optional: false }), (error) => {
    assert.ok(error instanceof ConfigurationError, String(error));
    assert.match(error.message, /call auth\.handle\(\) before/);
    return true;
  });
});
