import { createAuth, type PasswordHasher, passwords, type SqlDatabase } from "@framework/auth";

/** The account that is guessed at. */
export const EMAIL = "ada@example.com";
/** Its password. */
export const PASSWORD = "the right words at last";

/** An application with the built-in form for a password. */
export interface Guessed {
  auth: ReturnType<typeof createAuth>;
  /** Makes the tables and the account, by the built-in sign-up. */
  prepare(): Promise<void>;
}

/** Makes the application, by default with the hashes of production. */
export function createGuessed(
  database: SqlDatabase,
  { baseUrl, limited, hasher }: { baseUrl: string; limited: boolean; hasher?: PasswordHasher },
): Guessed {
  const links: string[] = [];
  const auth = createAuth({
    database,
    baseUrl,
    providers: [passwords({
      sendMail: ({ url }) => void links.push(url),
      ...hasher && { hasher },
    })],
    ...!limited && { rateLimit: false },
  });
  async function send(
    path: string,
    fields: Record<string, string>,
    cookie = "",
  ): Promise<Response> {
    const headers = { origin: baseUrl, cookie };
    const body = new URLSearchParams(fields);
    const request = new Request(baseUrl + path, { method: "POST", headers, body });
    return (await auth.handle(request, {}, { clientAddress: "192.0.2.1" }))!;
  }
  return {
    auth,
    async prepare() {
      await auth.migrate();
      const { headers } = await send("/auth/signup", { email: EMAIL, password: PASSWORD });
      const cookie = headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
      const token = new URL(links[0]!).searchParams.get("token")!;
      const { status } = await send("/auth/signup/confirm", { token }, cookie);
      if (status !== 303) throw new Error(`The account was not made: ${status}`);
    },
  };
}
