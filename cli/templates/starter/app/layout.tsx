import { href } from "@framework/cli/href";
import type { LayoutProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import { brandColor, siteName } from "./_components/site.ts";
import { SiteHeader } from "./_components/site_header.tsx";

/** The frame of every page. */
export default function RootLayout({ children }: LayoutProps<"/">): JSX.Element {
  return (
    <html lang="en" style={`--brand: ${brandColor}`}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/styles.css" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <SiteHeader />
        <main id="main">{children}</main>
        <footer class="site-footer">
          <p>
            {siteName} is built with <code>framework</code>. Edit <code>app/page.tsx</code>{" "}
            and save: the running server follows. <a href={href("/contact")}>Contact</a>
          </p>
        </footer>
      </body>
    </html>
  );
}
