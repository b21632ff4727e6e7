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
    expect(signedUp.status).toBe(303);
    expect(await (await ctx.fetch("/dashboard")).text()).toContain("Hello, Ada Lovelace");

    await post("/auth/signout", {});
    expect((await ctx.fetch("/api/me")).status).toBe(401);

    const signedIn = await post("/auth/signin/credentials", account);
    expect(signedIn.status).toBe(303);
    expect(await (await ctx.fetch("/api/me")).json()).toMatchObject({ email: account.email });
  });

  it("refuses a wrong password, and says so on the page", async () => {
    await post("/signup", account);
    await post("/auth/signout", {});
    const response = await post("/auth/signin/credentials", { ...account, password: "wrong" });
    expect(response.status).toBe(401);
    expect(await response.text()).toContain("is not right");
  });

  it("asks again when the password is short", async () => {
    const response = await post("/signup", { ...account, password: "short" });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain("at least 15 characters");
  });

  it("keeps an address to one account", async () => {
    await post("/signup", account);
    await post("/auth/signout", {});
    const again = await post("/signup", { ...account, email: "ADA@example.com" });
    expect(again.status).toBe(409);
  });

  it("shows the admin page to administrators only", async () => {
    const member = await ctx.withAuth({ userId: "member" });
    expect((await member.fetch("/admin")).status).toBe(403);
    const admin = await ctx.withAuth({ userId: "boss", role: "admin" });
    expect(await (await admin.fetch("/admin")).text()).toContain("Members");
  });
});
