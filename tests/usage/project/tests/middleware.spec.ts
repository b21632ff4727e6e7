import { createMockContext, createMockRequest } from "@framework/testing";
import { describe, expect, it, vi } from "vitest";
import { middleware } from "../app/_middleware/members.ts";

describe("the members' middleware", () => {
  it("lets users pass", async () => {
    const request = createMockRequest("/members");
    const context = createMockContext({
      auth: { getUser: () => Promise.resolve({ id: "1", email: "ada@example.com" }) },
    });
    const next = vi.fn().mockResolvedValue(new Response("OK"));
    const response = await middleware(request, next, context);
    expect(next).toHaveBeenCalled();
    expect(response.status).toBe(200);
  });

  it("refuses visitors", async () => {
    const context = createMockContext({ auth: { getUser: () => Promise.resolve(null) } });
    const next = vi.fn();
    const response = await middleware(createMockRequest("/members"), next, context);
    expect(next).not.toHaveBeenCalled();
    expect(response.status).toBe(401);
  });
});
