import { createTestContext } from "@framework/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { brandColor, siteName } from "../app/_components/site.ts";

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

  /** The link of a mail. Some mails are sent after the answer, so that its time tells nothing. */
  async function mailedLink(kind: string): Promise<string> {
    await ctx.settled();
    return ctx.outbox.findLast((one) => one.kind === kind)!.url;
  }

  /** The page behind the link of a mail. */
  async function openMail(kind: string): Promise<Response> {
    return await ctx.fetch(await mailedLink(kind));
  }

  async function signUp(): Promise<Response> {
    await ctx.submit(await ctx.fetch("/auth/signup?callbackUrl=/dashboard"), account);
    return await ctx.submit(await openMail("verification"));
  }

  it("greets everyone on the front page", async () => {
    const response = await ctx.fetch("/");
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("Create an account");
  });

  it("sends a visitor from the dashboard to the sign-in page", async () => {
    const response = await ctx.fetch("/dashboard");
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toContain("/auth/signin?callbackUrl=%2Fdashboard");
  });

  it("signs up by the link in the mail, out and in again", async () => {
    await ctx.submit(await ctx.fetch("/auth/signup?callbackUrl=/dashboard"), account);
    expect(ctx.outbox.at(-1)).toMatchObject({ kind: "verification", identifier: account.email });
    expect((await ctx.fetch("/api/me")).status).toBe(401);
    const confirmed = await ctx.submit(await openMail("verification"));
    expect(confirmed.headers.get("location")).toMatch(/\/dashboard$/);
    expect(await (await ctx.fetch("/dashboard")).text()).toContain("Hello, Ada Lovelace");

    await post("/auth/signout", {});
    expect((await ctx.fetch("/api/me")).status).toBe(401);

    const signedIn = await post("/auth/signin/passwords", account);
    expect(signedIn.status).toBe(303);
    expect(await (await ctx.fetch("/api/me")).json()).toMatchObject({ email: account.email });
  });

  it("has its name and its colour on the pages and in the mails of the accounts", async () => {
    const page = await (await ctx.fetch("/auth/signin")).text();
    expect(page).toContain(siteName);
    expect(page).toContain(brandColor);
    await post("/auth/signup", account);
    expect(ctx.outbox.at(-1)?.html).toContain(siteName);
    expect(ctx.outbox.at(-1)?.html).toContain(brandColor);
    expect(await (await ctx.fetch("/favicon.svg")).text()).toContain(brandColor);
  });

  it("sets a new password by a mail", async () => {
    await signUp();
    await post("/auth/signout", {});
    await post("/auth/forgot", { email: account.email });
    const password = "some other words than before";
    await ctx.submit(await openMail("reset"), { password });
    expect((await post("/auth/signin/passwords", account)).status).toBe(401);
    expect((await post("/auth/signin/passwords", { ...account, password })).status).toBe(303);
  });

  it("signs in by a link in an email, once", async () => {
    await post("/auth/signin/email", { email: account.email });
    const signedIn = await ctx.submit(await openMail("sign-in"));
    expect(signedIn.status).toBe(303);
    expect(await (await ctx.fetch("/api/me")).json()).toMatchObject({ email: account.email });
    expect((await openMail("sign-in")).status).not.toBe(200);
  });

  it("shows a team to its members only", async () => {
    await signUp();
    await ctx.submit(await ctx.fetch("/auth/team"), { name: "Acme" });
    expect(await (await ctx.fetch("/t/acme")).text()).toContain("owner");
    const stranger = await ctx.withAuth({ userId: "eve" });
    expect((await stranger.fetch("/t/acme")).status).toBe(403);
    expect((await stranger.fetch("/t/unknown")).status).toBe(404);
  });

  it("makes a member of who opens the link of an invitation", async () => {
    await signUp();
    await ctx.submit(await ctx.fetch("/auth/team"), { name: "Acme" });
    const invite = { team: "acme", email: "eve@example.com", role: "member" };
    expect((await post("/auth/team/invite", invite)).status).toBe(303);
    const link = await mailedLink("invitation");
    await post("/auth/signout", {});
    expect((await ctx.fetch("/t/acme")).status).toBe(401);
    expect(await (await ctx.fetch(link)).text()).toContain("Ada Lovelace");
    await ctx.submit(await ctx.fetch(link));
    expect(await (await ctx.fetch("/t/acme")).text()).toContain("member");
    expect(await (await ctx.fetch("/api/me")).json()).toMatchObject({ email: "eve@example.com" });
  });

  it("shows a message again that it refuses", async () => {
    const refused = await ctx.submit(await ctx.fetch("/contact"), { email: "ada", text: "Hello" });
    expect(refused.status).toBe(422);
    const page = await refused.text();
    expect(page).toContain("This is not an email address.");
    expect(page).toContain("Hello</textarea>");
  });

  it("takes three messages in ten minutes", async () => {
    for (const text of ["One", "Two", "Three"]) {
      const sent = await post("/contact", { email: account.email, text });
      expect(sent.headers.get("location")).toBe("/contact");
      expect(await (await ctx.fetch("/contact")).text()).toContain("Thank you");
    }
    expect(await (await ctx.fetch("/contact")).text()).not.toContain("Thank you");
    expect((await post("/contact", { email: account.email, text: "Four" })).status).toBe(429);
    ctx.clock.advance("11m");
    expect((await post("/contact", { email: account.email, text: "Four" })).status).toBe(303);
  });

  it("asks once more who it is before the password is changed", async () => {
    await signUp();
    expect((await ctx.fetch("/auth/account/password")).status).toBe(200);
    ctx.clock.advance("11m");
    const response = await ctx.fetch("/auth/account/password");
    expect(response.headers.get("location")).toContain("error=REAUTHENTICATION_REQUIRED");
  });

  it("shows messages to support, and users to administrators", async () => {
    const member = await ctx.withAuth({ userId: "member" });
    expect((await member.fetch("/admin")).status).toBe(403);
    const support = await ctx.withAuth({ userId: "helper", role: "support" });
    expect(await (await support.fetch("/admin")).text()).not.toContain("/auth/admin");
    expect((await support.fetch("/auth/admin")).status).toBe(403);
    const admin = await ctx.withAuth({ userId: "boss", role: "admin" });
    expect(await (await admin.fetch("/admin")).text()).toContain("/auth/admin");
    expect((await admin.fetch("/auth/admin")).status).toBe(200);
  });
});

it("offers the identity provider where the environment names one", async () => {
  const without = await createTestContext({ env: { OIDC_ISSUER: "" } });
  expect(await (await without.fetch("/auth/signin")).text()).not.toContain("Company");
  await without.cleanup();
  const env = {
    OIDC_ISSUER: "https://id.example",
    OIDC_CLIENT_ID: "app",
    OIDC_CLIENT_SECRET: "secret",
  };
  const configured = await createTestContext({ env });
  expect(await (await configured.fetch("/auth/signin")).text()).toContain("Company");
  await configured.cleanup();
});
