import assert from "node:assert/strict";
import { ORIGIN } from "../tests/application.ts";
import { PASSWORD, tokenOf, withPasswords } from "../tests/password_application.ts";
import {
  changePassword,
  confirmSignUp,
  forgotPassword,
  resetPassword,
  signUp,
} from "./password.ts";
import { signIn } from "./sign_in.ts";

Deno.test("the client signs up, confirms, changes and resets a password at the real endpoints", () =>
  withPasswords(async ({ send, outbox, settle, clock, rows }) => {
    const jar = new Map<string, string>();
    // A browser of one tab.
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const path = String(input).replace("/auth", "");
      const response = await send(path, {
        method: init!.method!,
        json: JSON.parse(String(init!.body)),
        headers: { ...init!.headers as Record<string, string>, origin: ORIGIN },
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair] = line.split(";");
        const at = pair!.indexOf("=");
        if (/max-age=0/i.test(line)) jar.delete(pair!.slice(0, at));
        else jar.set(pair!.slice(0, at), pair!.slice(at + 1));
      }
      return response;
    };
    const options = { fetch };
    const email = "ada@example.com";

    const short = await signUp({ email, password: "short", redirect: false }, options);
    assert.equal(!short.ok && short.error.code, "INVALID_PASSWORD");
    const values = { email, password: PASSWORD, name: "Ada", redirectTo: "/next", redirect: false };
    const asked = await signUp(values, options);
    assert.deepEqual(asked, { ok: true, redirectTo: `${ORIGIN}/auth/signup/sent`, session: null });
    const done = await confirmSignUp({ token: tokenOf(outbox[0]!), redirect: false }, options);
    assert.equal(done.ok && done.session?.user.name, "Ada");
    assert.equal(done.ok && done.redirectTo, `${ORIGIN}/next`);

    clock.now += 1000;
    const second = "another sentence of mine";
    const changed = await changePassword({ password: second, redirect: false }, options);
    assert.equal(changed.ok, true, JSON.stringify(changed));
    clock.now += 1000;
    const right = await signIn("passwords", { email, password: second, redirect: false }, options);
    assert.equal(right.ok && right.session?.user.email, email);

    assert.equal((await forgotPassword({ email, redirect: false }, options)).ok, true);
    await settle();
    const third = "a third sentence of mine";
    const token = tokenOf(outbox.find(({ kind }) => kind === "reset")!);
    const reset = await resetPassword({ token, password: third, redirect: false }, options);
    assert.equal(reset.ok && reset.redirectTo, `${ORIGIN}/auth/signin`);
    assert.deepEqual(rows("sessions"), []);
    clock.now += 1000;
    const wrong = await signIn("passwords", { email, password: second, redirect: false }, options);
    assert.equal(!wrong.ok && wrong.error.code, "INVALID_CREDENTIALS");
    const last = await signIn("passwords", { email, password: third, redirect: false }, options);
    assert.equal(last.ok, true);
  }));
