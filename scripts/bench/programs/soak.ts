import { type AuthOptions, createAuth, credentials, getUser } from "@framework/auth";
import { ORIGIN, PERSON, SECRET } from "./better_auth.ts";
import type { Handler } from "./handlers.ts";

// Of so many requests one also signs somebody else in and out again.
const SIGN_INS = 50;

function cookiesOf(response: Response): string {
  return response.headers.getSetCookie().map((line) => line.split(";")[0]!).join("; ");
}

/** The application of the soak: a page for whoever is signed in, and now and then a sign-in and a sign-out. */
export async function createSoak(options: AuthOptions): Promise<Handler> {
  const auth = createAuth({
    baseUrl: ORIGIN,
    secret: SECRET,
    providers: [credentials({
      credentials: {
        email: { label: "Email", type: "email", required: true },
        password: { label: "Password", type: "password", required: true },
      },
      authorize({ email, password }) {
        const isRight = password === PERSON.password && email === PERSON.email;
        return Promise.resolve(
          isRight ? { id: "ada", name: PERSON.name, email: PERSON.email } : null,
        );
      },
    })],
    ...options,
  });

  async function post(path: string, fields: Record<string, string>, cookie: string) {
    const request = new Request(`${ORIGIN}/auth/${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        accept: "text/html",
        origin: ORIGIN,
        cookie,
      },
      body: new URLSearchParams(fields).toString(),
    });
    const response = (await auth.handle(request, {}, { clientAddress: "192.0.2.1" }))!;
    const text = await response.text();
    if (response.status !== 303) throw new Error(`${path} answered ${response.status}: ${text}`);
    return response;
  }
  async function signIn(): Promise<string> {
    return cookiesOf(
      await post("signin/credentials", { email: PERSON.email, password: PERSON.password }, ""),
    );
  }

  let count = 0;
  return {
    cookie: await signIn(),
    async fetch(request) {
      if (++count % SIGN_INS === 0) await post("signout", {}, await signIn());
      return await auth.run(request, {}, undefined, () => {
        const isThere = getUser()?.name === PERSON.name;
        return new Response(isThere ? PERSON.name : "Nobody", { status: isThere ? 200 : 401 });
      });
    },
  };
}
