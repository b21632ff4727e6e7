import {
  createAuth,
  createMemoryStorage,
  credentials,
  defaultTheme,
  getUser,
  waitUntil,
} from "@framework/auth";

const auth = createAuth({
  database: createMemoryStorage(),
  baseUrl: Deno.env.get("BASE_URL") ?? "http://localhost:8000",
  cookies: { sessionToken: { hostOnly: true } },
  pages: { theme: defaultTheme },
  providers: [credentials({
    credentials: { pin: { label: "PIN", type: "password", required: true } },
    authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
  })],
});

Deno.serve((request, { remoteAddr }) => {
  const clientAddress = "hostname" in remoteAddr ? remoteAddr.hostname : undefined;
  const next = () => new Response(`Hello ${getUser()?.name ?? "stranger"}`);
  return auth.fetch(request, {}, { clientAddress, waitUntil, next });
});
