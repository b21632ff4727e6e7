import { data, type RequestContext } from "@framework/cli/runtime";
import { z } from "zod";

export const input = {
  GET: z.object({ tags: z.array(z.string()).optional() }),
  POST: z.object({ title: z.string().min(3, "Please write at least three letters.") }),
};

type Context<Method extends keyof typeof input> = RequestContext<
  "/api/notes",
  (typeof input)[Method]
>;

export function GET(_request: Request, { input }: Context<"GET">) {
  return { tags: input.tags ?? [] };
}

export function POST(_request: Request, { input }: Context<"POST">) {
  return data({ title: input.title, at: new Date(0) }, { status: 201 });
}
