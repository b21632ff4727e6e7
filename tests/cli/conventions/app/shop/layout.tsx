import type { LayoutProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";

export default function ShopLayout({ children }: LayoutProps): JSX.Element {
  return <main class="shop">{children}</main>;
}
