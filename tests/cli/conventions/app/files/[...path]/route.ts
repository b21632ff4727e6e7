import { data, type RequestContext } from "@framework/cli/runtime";

export function GET(_request: Request, { params }: RequestContext<"/files/[...path]">) {
  return params;
}

export function POST(request: Request) {
  return request.headers.get("x-late") === null
    ? new Response("made", { status: 201 })
    : data({ late: true }, { status: 202, headers: { "x-own": "yes" } });
}
