import { jsxRenderer } from "hono/jsx-renderer";

export default jsxRenderer(({ children, title }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>{title}</title>
    </head>
    <body>
      <nav>
        <a href="/">Issues</a> <a href="/new">New issue</a>
      </nav>
      {children}
    </body>
  </html>
));
