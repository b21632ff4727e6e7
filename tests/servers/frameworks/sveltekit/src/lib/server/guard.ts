import { isAuthError, RedirectError } from "@framework/auth";
import { error, redirect } from "@sveltejs/kit";

/** Throws the errors of `requireAuth()` and its like as SvelteKit's own: `guard(() => requireAuth())`. */
export function guard<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof RedirectError) redirect(303, thrown.location);
    if (isAuthError(thrown) && thrown.status < 500) error(thrown.status, thrown.message);
    throw thrown;
  }
}
