import { createAuth, credentials, jwtSessions } from "@framework/auth";
import assert from "node:assert/strict";
import { join } from "node:path";
import { capture } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";

/** Returns the messages of the type check of an application with some files. */
async function check(...sources: string[]): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    const files = sources.map((_, index) => join(folder, `file_${index}.ts`));
    for (const [index, file] of files.entries()) await Deno.writeTextFile(file, sources[index]!);
    const config = join(repositoryRoot, "deno.json");
    const options = ["check", "--quiet", "--config", config, ...files];
    return (await capture(Deno.execPath(), options)).stderr;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const APPLICATION = `import { credentials, email, type SqlDatabase } from "@framework/auth";
export const providers = [
  credentials({
    credentials: { pin: { label: "PIN", type: "password" } },
    async authorize(c, ctx) {
      return await ctx.env.DB.prepare("SELECT id FROM users WHERE pin = ?1").bind(c.pin!).first();
    },
  }),
  email({
    from: "a@b.example",
    async sendVerificationRequest({ url }, { env }) { await env.MAIL.send(url); },
  }),
];
`;

/** The same, of which the check of all types says whether an application needs a type argument. */
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

// Tracks: SP-W8
Deno.test("ctx.env is what an application declares as AuthEnv, and nothing else", async () => {
  const declared = `${APPLICATION}declare module "@framework/auth" {
  interface AuthEnv { DB: SqlDatabase; MAIL: { send(text: string): Promise<void> } }
}\n`;
  const said = await check(declared, APPLICATION.replace("env.MAIL", "env.MIAL"));
  assert.match(said, /MIAL.*does not exist[^]*file_1\.ts/);
  assert.equal([...said.matchAll(/\bTS\d+/g)].length, 1, said);
});
