import { Form } from "react-router";
import { accounts } from "./auth.server.ts";

export const loader = () => accounts.requireRole("admin") ?? null;
export const action = () => accounts.requireRole("admin") ?? null;

export default function Admin() {
  return (
    <Form method="post">
      <p>Secret</p>
      <button>Ask again</button>
    </Form>
  );
}
