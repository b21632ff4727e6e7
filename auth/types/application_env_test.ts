import { createAuth, credentials, jwtSessions } from "@framework/auth";
import assert from "node:assert/strict";

/** The check of all types says whether an application needs a type argument. */
const provider = credentials({
  credentials: { pin: { label: "PIN", type: "password" } },
  async authorize(c, ctx) {
    return await ctx.env.DB.prepare("SELECT id FROM users WHERE pin = ?1").bind(c.pin!).first();
  },
});

// Tracks: SP-W8
Deno.test("ctx.env of authorize gives access to bindings without a type argument", async () => {
  const DB = {
    prepare: () => ({ bind: (pin: string) => ({ first: () => Promise.resolve({ id: pin }) }) }),
  };
  const auth = createAuth({
    secret: "a secret of at least thirty-two bytes",
    session: { strategy: jwtSessions },
    rateLimit: false,
    providers: [provider],
  });
  const origin = "http://localhost";
  const body = new URLSearchParams({ pin: "ada" });
  const request = new Request(`${origin}/auth/signin/credentials`, {
    method: "POST",
    headers: { origin },
    body,
  });
  const response = (await auth.handle(request, { DB }))!;
  assert.equal(response.status, 303);
  const cookie = response.headers.getSetCookie()[0]!.split(";")[0]!;
  const asked = new Request(`${origin}/auth/session`, { headers: { cookie } });
  assert.equal((await (await auth.handle(asked, { DB }))!.json()).user.id, "ada");
});
