import Link from "next/link";
import { accounts } from "../auth";

export default async function Home() {
  const user = await accounts.getUser();
  return (
    <>
      <p>Hello {user?.name ?? "stranger"}</p>
      <Link href="/account">Account</Link>
    </>
  );
}
