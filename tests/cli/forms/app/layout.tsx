import type { LayoutProps, LoaderArgs } from "@framework/cli/runtime";

export const loader = ({ context }: LoaderArgs) => ({ flash: context.flash.take() });

export default function RootLayout({ data, children }: LayoutProps<"/">) {
  return (
    <html lang="en">
      <head>
        <title>Forms</title>
      </head>
      <body>
        {data.flash && <p role="status" id="flash">{data.flash.text}</p>}
        <p id="rendered">{crypto.randomUUID()}</p>
        {children}
        <a href="/plain">Plain</a>
      </body>
    </html>
  );
}
