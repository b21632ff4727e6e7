import { createTestContext } from "@framework/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const account = {
  name: "Ada Lovelace",
  email: "ada@example.com",
  password: "a few words are easiest",
};

describe("the application", () => {
  let ctx: Awaited<ReturnType<typeof createTestContext>>;

  beforeEach(async () => {
    ctx = await createTestContext();
  });

  afterEach(async () => {
    await ctx.cleanup();
  });

  function post(path: string, fields: Record<string, string>): Promise<Response> {
    return ctx.fetch(path, { method: "POST", body: new URLSearchParams(fields) });
  }

  async function signUp(): Promise<void> {
    await post("/signup", account);
    await post("/auth/signin/credentials", account);
  }

  it("greets everyone on the front page", async () => {
    const response = await ctx.fetch("/");
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("Create an account");
  });

  it("sends a visitor from the dashboard to the sign-in page", async () => {
    const response = await ctx.fetch("/dashboard");
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toContain("/signin?callbackUrl=");
  });

  it("signs a new user up, out and in again", async () => {
    const signedUp = await post("/signup", account);
    expect(signedUp.headers.get("location")).toBe("/signin?done=signup");
    await post("/auth/signin/credentials", account);
    expect(await (await ctx.fetch("/dashboard")).text()).toContain("Hello, Ada Lovelace");

    await post("/auth/signout", {});
    expect((await ctx.fetch("/api/me")).status).toBe(401);

    const signedIn = await post("/auth/signin/credentials", account);
    expect(signedIn.status).toBe(303);
    expect(await (await ctx.fetch("/api/me")).json()).toMatchObject({ email: account.email });
  });

  it("refuses a wrong password, and says so on the page", async () => {
    await post("/signup", account);
    const response = await post("/auth/signin/credentials", { ...account, password: "wrong" });
    expect(response.status).toBe(401);
    expect(await response.text()).toContain("is wrong");
  });

  it("asks again when the password is short", async () => {
    const response = await post("/signup", { ...account, password: "short" });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain("at least 15 characters");
  });

  it("keeps an address to one account, and tells nobody that it has one", async () => {
    await post("/signup", account);
    const password = "some other words than before";
    const again = await post("/signup", { ...account, email: "ADA@example.com", password });
    expect(again.headers.get("location")).toBe("/signin?done=signup");
    expect((await post("/auth/signin/credentials", { ...account, password })).status).toBe(401);
    expect((await post("/auth/signin/credentials", account)).status).toBe(303);
  });

  it("signs in by a link in an email, once", async () => {
    await post("/auth/signin/email", { email: account.email });
    const link = ctx.outbox.at(-1)?.url ?? "";
    const signedIn = await ctx.submit(await ctx.fetch(link));
    expect(signedIn.status).toBe(303);
    expect(await (await ctx.fetch("/api/me")).json()).toMatchObject({ email: account.email });
    expect((await ctx.fetch(link)).status).not.toBe(200);
  });

  it("shows a team to its members only", async () => {
    await signUp();
    expect((await post("/dashboard", { slug: "acme" })).headers.get("location")).toBe("/t/acme");
    expect(await (await ctx.fetch("/t/acme")).text()).toContain("Ada Lovelace");
    const stranger = await ctx.withAuth({ userId: "eve" });
    expect((await stranger.fetch("/t/acme")).status).toBe(401);
    expect((await stranger.fetch("/t/unknown")).status).toBe(404);
    const invited = await post("/t/acme", { email: "eve@example.com" });
    expect(await invited.text()).toContain("An invitation is on its way to eve@example.com");
    expect((await stranger.fetch("/t/acme")).status).toBe(401);
  });

  it("lists many teams and members a page at a time, and leaves nobody out", async () => {
    async function all(path: string, item: RegExp): Promise<Set<string>> {
      const found = new Set<string>();
      for (let next: string | undefined = ""; next !== undefined;) {
        const page: string = await (await ctx.fetch(path + next)).text();
        for (const [text] of page.matchAll(item)) found.add(text);
        next = /href="([?]after=[^"]+)"/.exec(page)?.[1];
      }
      return found;
    }
    await signUp();
    for (let number = 0; number < 51; number++) {
      await post("/dashboard", { slug: `team-${number}` });
    }
    expect((await all("/dashboard", /\/t\/team-\d+/g)).size).toBe(51);
    const { id } = await ctx.db.selectFrom("tenants").select("id").where("slug", "=", "team-0")
      .executeTakeFirstOrThrow();
    for (let number = 0; number < 101; number++) {
      await ctx.withAuth({ userId: `user-${number}`, name: `Member ${number}`, tenant: id });
    }
    expect((await all("/t/team-0", /Member \d+|Ada Lovelace/g)).size).toBe(102);
    // Inside of workerd 150 sign-ups and teams take longer than a test may by default.
  }, 120_000);

  it("takes three messages in ten minutes", async () => {
    for (const text of ["One", "Two", "Three"]) {
      const sent = await post("/contact", { email: account.email, text });
      expect(sent.headers.get("location")).toBe("/contact?done=sent");
    }
    expect(await (await ctx.fetch("/contact?done=sent")).text()).toContain("Thank you");
    expect((await post("/contact", { email: account.email, text: "Four" })).status).toBe(429);
    ctx.clock.advance("11m");
    expect((await post("/contact", { email: account.email, text: "Four" })).status).toBe(303);
  });

  it("asks once more who it is before the password is changed", async () => {
    await signUp();
    expect((await ctx.fetch("/account/password")).status).toBe(200);
    ctx.clock.advance("11m");
    const response = await ctx.fetch("/account/password");
    expect(response.headers.get("location")).toContain("error=REAUTHENTICATION_REQUIRED");
  });

  it("says the same whether or not an address has an account", async () => {
    const response = await post("/reset", { email: "nobody@example.com" });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("is on its way");
  });

  it("shows messages to support, and members to administrators", async () => {
    const member = await ctx.withAuth({ userId: "member" });
    expect((await member.fetch("/admin")).status).toBe(403);
    const support = await ctx.withAuth({ userId: "helper", role: "support" });
    expect(await (await support.fetch("/admin")).text()).not.toContain("Members");
    const admin = await ctx.withAuth({ userId: "boss", role: "admin" });
    expect(await (await admin.fetch("/admin")).text()).toContain("Members");
  });
});

it("offers the identity provider where the environment names one", async () => {
  const without = await createTestContext({ env: { OIDC_ISSUER: "" } });
  expect(await (await without.fetch("/signin")).text()).not.toContain("Continue with");
  await without.cleanup();
  const env = {
    OIDC_ISSUER: "https://id.example",
    OIDC_CLIENT_ID: "app",
    OIDC_CLIENT_SECRET: "secret",
  };
  const configured = await createTestContext({ env });
  expect(await (await configured.fetch("/signin")).text()).toContain("Continue with Company");
  await configured.cleanup();
});
