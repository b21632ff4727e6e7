import { getUser } from "@framework/auth";
import { createFileRoute, redirect } from "@tanstack/react-router";
import { createServerFn } from "@tanstack/react-start";

const readName = createServerFn().handler(() => getUser()?.name ?? null);

export const Route = createFileRoute("/account")({
  async loader({ location }) {
    const name = await readName();
    if (name !== null) return { name };
    const callbackUrl = encodeURIComponent(location.href);
    throw redirect({ href: `/auth/signin?callbackUrl=${callbackUrl}`, reloadDocument: true });
  },
  component: function Account() {
    return <p>Hello {Route.useLoaderData().name}</p>;
  },
});
