import { currentAuth, requireUser } from "../../current";

export default async function Account() {
  const { name, email } = await requireUser("/account");
  async function onlyAdmins() {
    "use server";
    const { requireRole } = await currentAuth();
    await requireRole("admin");
  }
  return (
    <form action={onlyAdmins}>
      <p>Hello {name ?? email}</p>
      <button>For administrators</button>
    </form>
  );
}
