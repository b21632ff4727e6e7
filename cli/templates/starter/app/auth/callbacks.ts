import type { User } from "@framework/auth";
import { defineAuthCallbacks } from "@framework/auth/convention";

/** A user as the pages see it: `getUser<AppUser>()`. */
export interface AppUser extends User {
  displayName: string;
}

/** The application's say in sign-in: `signIn` can refuse somebody, `session` shapes what pages see. */
export default defineAuthCallbacks({
  session({ session, user }) {
    const displayName = user.name ?? user.email ?? "friend";
    return { ...session, user: { ...user, displayName } };
  },
});
