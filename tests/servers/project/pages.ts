import type { User } from "@framework/auth";

/** What people call themselves is no markup. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

export function greeting({ name, email, id }: User): string {
  return `<!doctype html><title>Account</title><p>Hello ${escape(name ?? email ?? id)}</p>
<form method="post" action="/auth/signout"><button>Sign out</button></form>`;
}
