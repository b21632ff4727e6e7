import type { OAuthMethod } from "./oauth_method.ts";
import type { Settings, SignInMethod } from "../http/contracts.ts";

// The sign-in page is not kept waiting by a provider that does not answer.
const TIMEOUT = 2000;

/**
 * The origin of the page to which the form of a way to sign in leads at last, where that is a provider's. A
 * provider that does not tell where it is has none.
 */
export async function formOriginsOf(
  method: SignInMethod,
  { fetch, now }: Settings,
): Promise<string[]> {
  if (!("oauth" in method)) return [];
  const { oauth } = method as OAuthMethod;
  try {
    const server = await oauth.server({ fetch, now, timeout: TIMEOUT });
    return [new URL(server.authorization).origin];
  } catch {
    return [];
  }
}
