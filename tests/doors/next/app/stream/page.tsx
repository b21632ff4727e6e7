import { Suspense } from "react";
import { accounts } from "../../auth";

async function Late() {
  await new Promise((resolve) => setTimeout(resolve, 200));
  const user = await accounts.getUser();
  return <p>Late {user?.name ?? "stranger"}</p>;
}

export default function Stream() {
  return (
    <Suspense fallback={<p>Soon</p>}>
      <Late />
    </Suspense>
  );
}
