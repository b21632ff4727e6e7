import { endSession } from "@framework/auth";

export default defineEventHandler(async (event) => {
  await endSession();
  await sendRedirect(event, "/", 303);
});
