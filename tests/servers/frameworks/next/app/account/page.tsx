import { currentAuth, requireUser } from "../../current";

export default async function Account() {
  const { name } = await requireUser("/account");
  async function onlyAdmins() {
    "use server";
    const { requireRole } = await currentAuth();
    await requireRole("admin");
  }
  return (
    <form action={onlyAdmins}>
      <p>Hello {name}</p>
      <button>For administrators</button>
    </form>
  );
}
