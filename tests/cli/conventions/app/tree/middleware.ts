import type { Middleware } from "@framework/cli/runtime";

export const middleware: Middleware<"/tree", { trail: string[] }> = async (
  request,
  next,
  context,
) => {
  if (new URL(request.url).searchParams.has("stop")) {
    return new Response("stopped", { status: 418 });
  }
  context.set("trail", ["outer"]);
  const headers = new Headers(request.headers);
  headers.set("x-from-middleware", "yes");
  const response = await next(new Request(request, { headers }));
  response.headers.append("x-trail", context.get("trail").join(" "));
  return response;
};
