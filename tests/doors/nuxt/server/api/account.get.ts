import { requireAuth } from "@framework/auth";

export default defineEventHandler(() => {
  const { name, email } = requireAuth({ throwError: true });
  return { name: name ?? email };
});
