import type { SessionState } from "../session/session_state.ts";

/**
 * Whether what is on an account stays at the first proof of its address. Only for the very session in which its
 * owner asked to confirm the address, and when nobody can have planted that session: one that merely is in the
 * browser in which a mail is opened may be that of whoever made the account.
 *
 * @param state The session of this request.
 * @param asked Whose address it is, and the public name of the session in which it was asked to be confirmed; null
 * for every other mail, such as one that the sign-in form sent.
 */
export function mayKeep(
  state: SessionState,
  { userId, askedIn }: { userId: string; askedIn: string | null },
): boolean {
  return state.status === "valid" && state.hostOnly && state.session.user.id === userId &&
    state.id === askedIn;
}
