import {
  createAuth,
  createMemoryStorage,
  credentials,
  defaultTheme,
  getUser,
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

Deno.serve(async (request, { remoteAddr }) => {
  const info = "hostname" in remoteAddr ? { clientAddress: remoteAddr.hostname } : {};
  return await auth.handle(request, {}, info) ??
    await auth.run(request, {}, info, () => new Response(`Hello ${getUser()?.name ?? "stranger"}`));
});
