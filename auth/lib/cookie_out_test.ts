import assert from "node:assert/strict";
import { HeadersSentError } from "../errors.ts";
import { createCookiesOut } from "./cookie.ts";

Deno.test("createCookiesOut() keeps the last line of each cookie", () => {
  const cookies = createCookiesOut();
  cookies.set("a=1; Path=/; SameSite=Lax");
  cookies.set("b=1; Path=/; SameSite=Lax");
  cookies.set("a=2; Path=/; SameSite=Lax");
  cookies.set("a=3; Path=/; Domain=example.com; SameSite=Lax");
  cookies.set("a=4; Path=/x; SameSite=Lax");
  assert.deepEqual(cookies.close(), [
    "a=2; Path=/; SameSite=Lax",
    "b=1; Path=/; SameSite=Lax",
    "a=3; Path=/; Domain=example.com; SameSite=Lax",
    "a=4; Path=/x; SameSite=Lax",
  ]);
});

Deno.test("createCookiesOut() throws once the headers have gone", () => {
  const cookies = createCookiesOut();
  cookies.assertOpen();
  cookies.close();
  assert.throws(() => cookies.assertOpen(), HeadersSentError);
  assert.throws(() => cookies.set("a=1; Path=/"), HeadersSentError);
});
