import { createAuth, createMemoryStorage, credentials, defaultTheme } from "@framework/auth";

// Next.js bundles pages and routes apart: what a module keeps in memory is there several times.
const kept = globalThis as { storage?: ReturnType<typeof createMemoryStorage> };

export const auth = createAuth({
  database: kept.storage ??= createMemoryStorage(), // in an application a real one
  baseUrl: process.env.BASE_URL ?? "http://localhost:3000",
  cookies: { sessionToken: { hostOnly: true } },
  pages: { theme: defaultTheme },
  providers: [credentials({
    credentials: { pin: { label: "PIN", type: "password", required: true } },
    authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
  })],
});
