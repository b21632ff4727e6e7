import { createTestContext } from "@framework/testing";
import { describe, expect, it } from "vitest";

interface Env {
  KV: { get(key: string): Promise<string | null>; put(key: string, value: string): Promise<void> };
}

describe("a context in the worker pool", () => {
  it("has the pool's bindings", async () => {
    await using ctx = await createTestContext<Env>();
    await ctx.env.KV.put("a", "1");
    expect(await ctx.env.KV.get("a")).toBe("1");
  });

  it("finds them empty again", async () => {
    await using ctx = await createTestContext<Env>();
    expect(await ctx.env.KV.get("a")).toBeNull();
  });

  it("is the only one at its time, and says so", async () => {
    await using ctx = await createTestContext();
    await expect(createTestContext()).rejects.toThrow("A test context is already open");
    expect((await ctx.fetch("/api/items")).status).toBe(200);
  });

  it("refuses what the pool cannot do", async () => {
    await expect(createTestContext({ cwd: "/elsewhere" })).rejects.toThrow("runtime and fresh");
    await expect(createTestContext({ runtime: "workerd" })).rejects.toThrow("runtime and fresh");
  });

  it("passes requests to a given service", async () => {
    const API = { fetch: ({ url }: Request) => Promise.resolve(new Response(url)) };
    await using ctx = await createTestContext<{ API: { fetch: typeof fetch } }>({ env: { API } });
    expect(await (await ctx.env.API.fetch("http://api/a")).text()).toBe("http://api/a");
  });

  it.skipIf(navigator.userAgent === "Cloudflare-Workers")(
    "can be left out by the user agent",
    () => {
      throw new Error("This ran in the pool.");
    },
  );
});
