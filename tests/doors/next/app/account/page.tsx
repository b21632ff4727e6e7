import { redirect } from "next/navigation";
import { accounts } from "../../auth";

async function signOut() {
  "use server";
  await accounts.endSession();
  redirect("/");
}

export default async function Account() {
  const { name, email } = await accounts.requireAuth({ returnTo: "/account" });
  return (
    <form action={signOut}>
      <p>Hello {name ?? email}</p>
      <button>Sign out</button>
    </form>
  );
}
