import type { User } from "../users/user.ts";

/** A signed-in user and when that ends. */
export interface Session {
  /** Who is signed in, as stored; with the strategy 'jwt' as of the last renewal. */
  user: User;
  /** When the session ends unless it is renewed before. */
  expires: Date;
}
