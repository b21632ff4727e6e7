import { accounts } from "../../auth";

/** What begins or ends a session in a server component. */
export default async function Wrong() {
  const user = await accounts.requireAuth({ returnTo: "/wrong" });
  const told = [];
  for (const work of [() => accounts.endSession(), () => accounts.startSession(user.id)]) {
    told.push(await work().then(() => "done", (error) => `${error.code}: ${error.message}`));
  }
  return <pre>{told.join("\n")}</pre>;
}
