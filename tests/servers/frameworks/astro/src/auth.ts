import { createAuth, createMemoryStorage, credentials, defaultTheme } from "@framework/auth";

export const auth = createAuth({
  database: createMemoryStorage(),
  baseUrl: process.env.BASE_URL ?? "http://localhost:3000",
  cookies: { sessionToken: { hostOnly: true } },
  pages: { theme: defaultTheme },
  providers: [credentials({
    credentials: { pin: { label: "PIN", type: "password", required: true } },
    authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
  })],
});
