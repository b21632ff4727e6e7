import { endSession } from "@framework/auth";
import { Form, redirect } from "react-router";
import { accounts } from "./auth.server.ts";

export function loader() {
  const { name, email } = accounts.requireAuth();
  return { name: name ?? email };
}

export async function action() {
  await endSession();
  return redirect("/");
}

export default function Account({ loaderData }) {
  return (
    <Form method="post">
      <p>Hello {loaderData.name}</p>
      <button>Sign out</button>
    </Form>
  );
}
