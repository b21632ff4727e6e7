import assert from "node:assert/strict";
import { createCookieJar } from "./cookies.ts";

const HOME = new URL("http://localhost/");
const at = (path: string) => new URL(path, HOME);

Deno.test("createCookieJar() sends what was set, and the last value of a name", () => {
  const jar = createCookieJar(() => 0);
  jar.set("a=1; Path=/", HOME);
  jar.set("b=x=y; HttpOnly; SameSite=Lax; Path=/", HOME);
  jar.set("a=2; Path=/", HOME);
  assert.equal(jar.header(HOME), "a=2; b=x=y");
});

Deno.test("createCookieJar() respects paths, and sends the longest first", () => {
  const jar = createCookieJar(() => 0);
  jar.set("root=1; Path=/", HOME);
  jar.set("deep=1; Path=/auth", HOME);
  jar.set("default=1", at("/auth/signin"));
  assert.equal(jar.header(HOME), "root=1");
  assert.equal(jar.header(at("/auth")), "deep=1; default=1; root=1");
  assert.equal(jar.header(at("/authentic")), "root=1");
});

Deno.test("createCookieJar() lets cookies expire by the clock", () => {
  let now = 1_000_000;
  const jar = createCookieJar(() => now);
  jar.set("age=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT", HOME);
  jar.set("date=1; Expires=Thu, 01 Jan 1970 00:16:45 GMT", HOME);
  jar.set("session=1", HOME);
  assert.equal(jar.header(HOME), "age=1; date=1; session=1");
  now += 5000;
  assert.equal(jar.header(HOME), "age=1; session=1");
  now += 5000;
  assert.equal(jar.header(HOME), "session=1");
});

Deno.test("createCookieJar() removes a cookie that is set in the past", () => {
  const jar = createCookieJar(() => 1000);
  jar.set("a=1; Path=/", HOME);
  jar.set("a=; Path=/; Max-Age=0", HOME);
  assert.equal(jar.header(HOME), "");
});

Deno.test("createCookieJar() keeps cookies to their host unless a domain widens them", () => {
  const jar = createCookieJar(() => 0);
  const acme = new URL("https://acme.example.com/");
  jar.set("own=1", acme);
  jar.set("shared=1; Domain=.example.com", acme);
  jar.set("foreign=1; Domain=example.org", acme);
  assert.equal(jar.header(acme), "own=1; shared=1");
  assert.equal(jar.header(new URL("https://other.example.com/")), "shared=1");
  assert.equal(jar.header(HOME), "");
});

Deno.test("createCookieJar() sends Secure cookies over https and to localhost only", () => {
  const jar = createCookieJar(() => 0);
  jar.set("a=1; Secure", HOME);
  jar.set("b=1; Secure", new URL("http://example.com/"));
  assert.equal(jar.header(HOME), "a=1");
  assert.equal(jar.header(new URL("http://example.com/")), "");
  assert.equal(jar.header(new URL("https://example.com/")), "b=1");
});
