import { ForbiddenError, UnauthenticatedError } from "@framework/auth";
import { type LoaderArgs, notFound, type PageProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";

export function loader({ params }: LoaderArgs<"/shop/[id]">): { id: string } {
  if (params["id"] === "none") notFound();
  if (params["id"] === "mine") throw new UnauthenticatedError();
  if (params["id"] === "secret") throw new ForbiddenError();
  if (params["id"] === "broken") throw new Error("The shelf fell down");
  return { id: params["id"]! };
}

export default function ShopPage({ data }: PageProps<"/shop/[id]">): JSX.Element {
  return <p>Item {data.id}</p>;
}
