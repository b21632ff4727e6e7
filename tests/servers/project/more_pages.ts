import { getUser, requireAuth } from "@framework/auth";
import { escape } from "./pages.ts";

export function home(): string {
  return `<!doctype html><title>Home</title><p>Hello ${escape(getUser()?.name ?? "stranger")}</p>
<a href="/account">Account</a>`;
}

export const secret = `<!doctype html><title>Admin</title><p>Secret</p>
<form method="post"><button>Ask again</button></form>`;

/** A page whose end is known late, when the headers have gone. */
export async function* late(): AsyncGenerator<string> {
  yield "<!doctype html><title>Stream</title><p>Soon</p>";
  await new Promise((resolve) => setTimeout(resolve, 200));
  yield `<p>Late ${escape(getUser()?.name ?? "stranger")}</p>`;
}

export function echo(body: unknown): object {
  return { user: requireAuth({ throwError: true }).id, ...body as object };
}
