import assert from "node:assert/strict";
import { createAuth } from "../app/create_auth.ts";
import { ConfigurationError } from "../errors.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { asWorker } from "../tests/as_worker.ts";
import { inEnvironment } from "../tests/in_environment.ts";
import { PASSWORD } from "../tests/password_application.ts";
import type { SendMail } from "../types/application.ts";
import { showMail } from "./development_mail.ts";
import { email } from "./email/provider.ts";
import { passwords } from "./password/provider.ts";

const LOCAL = "http://localhost:8000";

/** An application that sends all its mails by one function, and how to ask it from this machine. */
function createMailed() {
  const sendMail: SendMail = (mail) => showMail(mail);
  const auth = createAuth({
    baseUrl: LOCAL,
    database: createMemoryStorage(),
    logger: { error() {}, warn() {}, info() {} },
    providers: [passwords({ sendMail }), email({ sendMail })],
  });
  return async function ask(path: string, body?: Record<string, string>): Promise<Response> {
    const request = new Request(`${LOCAL}/auth${path}`, {
      headers: { origin: LOCAL },
      ...body !== undefined && { method: "POST", body: new URLSearchParams(body) },
    });
    const response = await auth.handle(request, {}, { clientAddress: "127.0.0.1" });
    return response ?? new Response(null, { status: 404 });
  };
}

// Tracks: R105
Deno.test("showMail() takes the mails of all ways to sign in and the application's own: in development all are on one page", async () => {
  const written = await inEnvironment("development", async () => {
    const ask = createMailed();
    await ask("/signup", { email: "ada@example.com", password: PASSWORD });
    await ask("/signin/email", { email: "grace@example.com" });
    showMail({ to: "eve@example.com", subject: "Join <Acme>", text: "You are invited." });
    const page = await (await ask("/dev/mail")).text();
    assert.match(page, /To ada@example\.com[^]*\/auth\/signup\/confirm\?token=/);
    assert.match(page, /To grace@example\.com[^]*\/auth\/callback\/email\?token=/);
    assert.match(page, /<h2>Join &lt;Acme&gt;<\/h2>\n<p class="quiet">To eve@example\.com<\/p>/);
    const own = page.slice(page.indexOf("To eve@"), page.indexOf("</section>"));
    assert.doesNotMatch(own, /href/, "a mail without a link of its own has no link");
  });
  for (const to of ["ada", "grace", "eve"]) {
    assert.match(written, new RegExp(`To: ${to}@example\\.com\n`));
  }
});

// Tracks: R105
Deno.test("in production showMail() sends and shows nothing, and what asked for the mail fails", async () => {
  async function refused(): Promise<void> {
    const ask = createMailed();
    assert.equal((await ask("/signin/email", { email: "ada@example.com" })).status, 503);
    assert.equal((await ask("/dev/mail")).status, 404);
    assert.throws(
      () => showMail({ to: "ada@example.com", subject: "Secret", text: "…" }),
      (error) => error instanceof ConfigurationError && error.field === "sendMail",
    );
  }
  assert.equal(await inEnvironment("production", refused), "");
  assert.equal(await inEnvironment(undefined, () => asWorker(refused)), "");
});
