import { getUser } from "@framework/auth";
import { Suspense } from "react";
import { Await } from "react-router";

async function late() {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return getUser()?.name ?? "stranger";
}

export const loader = () => ({ name: late() });

export default function Stream({ loaderData }) {
  return (
    <Suspense fallback={<p>Soon</p>}>
      <Await resolve={loaderData.name}>{(name) => <p>Late {name}</p>}</Await>
    </Suspense>
  );
}
