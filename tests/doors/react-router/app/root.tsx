import { isRouteErrorResponse, Links, Meta, Outlet, Scripts, useRouteError } from "react-router";
import { accounts } from "./auth.server.ts";

export const middleware = [accounts.middleware];

export function Layout({ children }) {
  return (
    <html lang="en">
      <head>
        <Meta />
        <Links />
        <link rel="icon" href="data:," />
      </head>
      <body>
        {children}
        <Scripts />
      </body>
    </html>
  );
}

export default Outlet;

export function ErrorBoundary() {
  const error = useRouteError();
  return <p>{isRouteErrorResponse(error) ? error.status : "Something went wrong"}</p>;
}
