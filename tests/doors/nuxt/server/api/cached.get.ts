import { getUser } from "@framework/auth";

export default defineCachedEventHandler(({ context }) => {
  try {
    return getUser()?.name;
  } catch (error) {
    return `${context.user?.name ?? "nobody"}: ${error.code}`;
  }
}, { maxAge: 60 });
