import { getUser } from "@framework/auth";

export const load = () => ({ name: getUser()?.name ?? "stranger" });
