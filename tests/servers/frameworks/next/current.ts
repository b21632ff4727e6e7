import { readAuth } from "@framework/auth";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { auth } from "./auth";

/**
 * Next.js tells nobody the address of the connection. Take the header that the proxy in front of it writes anew, as
 * nginx does by `proxy_set_header X-Real-IP $remote_addr`. Where nothing writes it, return {}: clients could.
 */
export function clientInfo(headers: Headers): { clientAddress?: string } {
  const clientAddress = headers.get("x-real-ip");
  return clientAddress === null ? {} : { clientAddress };
}

/** The operations on the session, for server components, actions and route handlers. */
export async function currentAuth() {
  const all = new Headers(await headers());
  const request = new Request("http://localhost/", { headers: all }); // only its headers are read
  return readAuth(auth, request, {}, clientInfo(all));
}

/** The user who is signed in; visitors go to the sign-in page, and come back to `path`. */
export async function requireUser(path: string) {
  const { getUser } = await currentAuth();
  return await getUser() ?? redirect(`/auth/signin?callbackUrl=${encodeURIComponent(path)}`);
}
