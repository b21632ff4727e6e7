import type { LayoutProps } from "@framework/cli/runtime";
import { href } from "@framework/cli/href";

export default function Layout({ children }: LayoutProps<"/">) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
      </head>
      <body>
        <nav>
          <a href={href("/")}>Issues</a> <a href={href("/new")}>New issue</a>
        </nav>
        {children}
      </body>
    </html>
  );
}
