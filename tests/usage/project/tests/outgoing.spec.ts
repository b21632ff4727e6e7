import { createTestAuthenticator, createTestContext, runAs } from "@framework/testing";
import { getUser, requireRole } from "@framework/auth";
import { describe, expect, it } from "vitest";

describe("what leaves the application", () => {
  it("is answered by the test", async () => {
    await using ctx = await createTestContext();
    const stock = ctx.onFetch("https://stock.example/items/*", () => ({ left: 3 }));
    expect(await (await ctx.fetch("/api/stock?id=7")).json()).toEqual({ left: 3 });
    expect(stock.requests.map(({ url }) => url)).toEqual(["https://stock.example/items/7"]);
  });

  it("fails when nobody answers", async () => {
    await using ctx = await createTestContext();
    await expect(ctx.fetch("/api/stock?id=7")).rejects.toThrow("https://stock.example/items/7");
  });
});

describe("code that asks who is there", () => {
  it("runs as a user", async () => {
    expect(
      await runAs({ id: "ada", role: "admin" }, () => {
        requireRole("admin");
        return getUser()?.id;
      }),
    ).toBe("ada");
    await expect(runAs(null, () => requireRole("admin"))).rejects.toThrow();
  });
});

describe("the clock", () => {
  it("ends sessions", async () => {
    await using ctx = await createTestContext({ clock: new Date("2026-01-01") });
    const ada = await ctx.withAuth({ userId: "ada" });
    const add = (id: string) =>
      ada.fetch("/api/items", {
        method: "POST",
        headers: { accept: "application/json" },
        body: JSON.stringify({ id, title: id }),
      });
    expect((await add("1")).status).toBe(201);
    ctx.clock.advance("31d");
    expect((await add("2")).status).toBe(401);
    expect(ada.cookies.all()).toEqual([]);
  });
});

describe("a test authenticator", () => {
  it("holds no passkey at first", async () => {
    const authenticator = createTestAuthenticator();
    await expect(authenticator.get({ challenge: "AA", rpId: "localhost" }, "http://localhost"))
      .rejects.toThrow("no passkey");
  });
});
