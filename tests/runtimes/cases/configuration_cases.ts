import {
  type AuthOptions,
  ConfigurationError,
  createAuth,
  createMemoryStorage,
  jwtSessions,
} from "@framework/auth";
import assert from "node:assert/strict";
import type { Case } from "../behaviour.ts";

function cookie(sessionToken: unknown): Record<string, unknown> {
  return { cookies: { sessionToken } };
}

const MISTAKES: Record<string, unknown>[] = [
  { basepath: "/auth" },
  { basePath: "auth" },
  { basePath: "/auth/" },
  { basePath: "//evil.example" },
  { session: { strategy: "databse" } },
  { session: null },
  { session: "jwt" },
  { session: { maxAge: 0 } },
  { session: { maxage: 60 } },
  { session: { strategy: "database", maxAge: 0 } },
  { session: { strategy: "database", maxAge: "30d" } },
  { session: { strategy: "database", maxAge: 401 * 86_400 } },
  { session: { strategy: "database", updateAge: -1 } },
  { session: { strategy: "database", updateage: 5 } },
  { session: { strategy: jwtSessions } },
  { session: { strategy: jwtSessions }, secret: "short" },
  { secret: "short" },
  { secret: [] },
  { secret: ["a".repeat(32), "short"] },
  cookie({ name: "a b" }),
  cookie({ name: "a=b" }),
  cookie({ name: "x\r\nSet-Cookie: y" }),
  cookie({ options: { sameSite: "none", secure: false } }),
  cookie({ options: { sameSite: "None" } }),
  cookie({ options: { path: "/x; Secure" } }),
  cookie({ options: { domain: ".evil\r\n" } }),
  cookie({ name: "__Host-s", options: { domain: "app.example" } }),
  cookie({ name: "__Host-s", options: { path: "/auth" } }),
  cookie({ name: "__Host-s", options: { secure: false } }),
  cookie({ name: "__host-s", options: { secure: false } }),
  cookie({ name: "__Secure-s", options: { secure: false } }),
  { ...cookie({ options: { domain: "other.example" } }), baseUrl: "https://app.example" },
  { pages: { signIn: "https://evil.example" } },
  { pages: { signIn: "//evil.example" } },
  { pages: { signin: "/login" } },
  { baseUrl: "app.example" },
  { baseUrl: "https://app.example/path" },
  { allowedHosts: "app.example" },
  { allowedHosts: ["https://app.example"] },
  { trustedOrigins: ["*.example.com"] },
  { trustedOrigins: ["https://admin.example/path"] },
  { logger: "console" },
  { now: 5 },
  { providers: {} },
  { providers: [{}] },
  { database: undefined },
  { database: {} },
];

/** Cases about refused configurations and their messages. */
export const CONFIGURATION_CASES: Record<string, Case> = {
  // Tracks: R153, R061, CVE-2026-32235, CVE-2025-71403. A wildcard is no origin.
  "every mistake is a ConfigurationError that names the option": () => {
    return MISTAKES.map((mistake) => {
      const options = { database: createMemoryStorage(), ...mistake } as unknown as AuthOptions;
      try {
        createAuth(options);
      } catch (error) {
        assert.ok(error instanceof ConfigurationError, JSON.stringify(mistake));
        assert.equal(error.code, "CONFIGURATION");
        return [mistake, error.message];
      }
      throw new assert.AssertionError({ message: `Accepted: ${JSON.stringify(mistake)}` });
    });
  },
  // Tracks: R151, F46
  "no message repeats a secret": () => {
    const secret = "hunter2-hunter2-hunter2";
    for (const given of [secret, [secret], ["a".repeat(40), secret], { secret }]) {
      const options = { database: createMemoryStorage(), secret: given } as unknown as AuthOptions;
      assert.throws(() => createAuth(options), (error) => !String(error).includes("hunter2"));
    }
  },
};
