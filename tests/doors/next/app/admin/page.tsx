import { hasPermission } from "@framework/auth";
import { accounts } from "../../auth";

async function onlyAdmins() {
  "use server";
  await accounts.requireRole("admin");
}

export default async function Admin() {
  await accounts.requireRole("admin");
  // Operations without a counterpart in `accounts` know the request inside of run().
  const permitted = await accounts.run(() => hasPermission("posts:delete"));
  return (
    <form action={onlyAdmins}>
      <p>Secret {String(permitted)}</p>
      <button>Ask again</button>
    </form>
  );
}
