import { requireAuth, startSession } from "@framework/auth";

/** Gives the browser another session. */
export default defineEventHandler(async () => {
  const { user } = await startSession(requireAuth().id);
  return { name: user.name };
});
