import { createApiClient } from "@framework/cli/api";
import type * as columns from "./columns/route.ts";
import type * as rest from "./(group)/[id]/[...rest]/route.ts";

export const api = createApiClient<{
  "/probe/columns": typeof columns;
  "/probe/[id]/[...rest]": typeof rest;
}>();

export async function count(): Promise<number> {
  // @ts-expect-error the values of the path are missing
  await api.POST("/probe/[id]/[...rest]");
  return await api.POST("/probe/[id]/[...rest]", { params: { id: 1, rest: ["a"] } });
}

// @ts-expect-error no such folder
createApiClient<{ "/probe/colums": typeof columns }>();
// @ts-expect-error a group is not a part of the address
createApiClient<{ "/probe/(group)/[id]/[...rest]": typeof rest }>();
// @ts-expect-error one of two
createApiClient<{ "/probe/columns": typeof columns; "/api/other": typeof rest }>();

// The folders of another application are its own.
export const other = createApiClient<{ "/api/other": typeof rest }>({
  base: "https://b.example",
  token: "key",
});
// @ts-expect-error the token is missing
createApiClient<{ "/api/other": typeof rest }>({ base: "https://b.example" });
