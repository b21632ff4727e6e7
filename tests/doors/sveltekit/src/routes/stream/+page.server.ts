import { getUser } from "@framework/auth";

async function late() {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return getUser()?.name ?? "stranger";
}

export const load = () => ({ name: late() });
