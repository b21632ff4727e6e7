import type { RouteHandler } from "@framework/cli/runtime";

export const GET: RouteHandler = async (request) => {
  const id = new URL(request.url).searchParams.get("id") ?? "";
  return await (await fetch(`https://stock.example/items/${encodeURIComponent(id)}`)).json();
};
