import { getUser } from "@framework/auth";
import { Link } from "react-router";

export const loader = () => ({ name: getUser()?.name ?? "stranger" });

export default function Home({ loaderData }) {
  return (
    <>
      <p>Hello {loaderData.name}</p>
      <Link to="/account">Account</Link>
    </>
  );
}
