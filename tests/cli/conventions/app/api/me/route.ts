import type { RequestContext } from "@framework/cli/runtime";

export async function GET(_request: Request, { auth }: RequestContext) {
  return {
    name: (await auth.getUser())?.name ?? null,
    reads: await auth.hasPermission("books:read"),
  };
}
