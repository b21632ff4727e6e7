import type { LayoutProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";

export const metadata = { title: "Site" };

export default function RootLayout({ children }: LayoutProps): JSX.Element {
  return (
    <html lang="en">
      <head></head>
      <body>
        <header>Site</header>
        {children}
      </body>
    </html>
  );
}
