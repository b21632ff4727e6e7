import type { RequestContext, RouteHandler } from "@framework/cli/runtime";

export const GET: RouteHandler<"/probe/(group)/[id]/[...rest]"> = (_request, { params }) => {
  const rest: string[] = params.rest;
  return { rest, id: params.id };
};

export function POST(
  _request: Request,
  { params, get }: RequestContext<"/probe/(group)/[id]/[...rest]">,
) {
  return params.rest.length + get("started");
}
