import { createMockLoaderArgs } from "@framework/testing";
import { describe, expect, it } from "vitest";
import { loader } from "../app/items/[id]/page.tsx";

describe("the loader of an item", () => {
  it("returns the item", async () => {
    const args = createMockLoaderArgs({ params: { id: "1" } });
    await args.context.db.insertInto("items").values({ id: "1", title: "First" }).execute();
    expect(await loader(args)).toEqual({ title: "First" });
  });

  it("rejects when there is none", async () => {
    const args = createMockLoaderArgs<typeof loader>({ params: { id: "2" }, context: { env: {} } });
    await expect(loader(args)).rejects.toThrow("Not found");
  });

  it("gets a database of its own each time", async () => {
    await expect(loader(createMockLoaderArgs({ params: { id: "1" } }))).rejects.toThrow();
  });

  it("can be given the request", () => {
    const request = new Request("http://localhost/items/1?tab=2");
    expect(createMockLoaderArgs({ request }).request).toBe(request);
  });
});
