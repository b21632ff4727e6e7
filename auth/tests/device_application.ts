// An application whose sessions are bound to devices, over each storage, for tests.
import { DatabaseSync } from "node:sqlite";
import { accountPage } from "../account/page.ts";
import type { AuthOptions } from "../app/options.ts";
import { getSession, getUser } from "../session/operations.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { createMemoryRevocationStore, createSqlRevocationStore } from "../storage/revocations.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { sqlite } from "../storage/sqlite.ts";
import { authSchema } from "../storage/schema.ts";
import {
  createTestApplication,
  passwordProvider,
  type TestApplication,
  visit,
} from "./application.ts";
import { createDevice, type Device } from "./device.ts";
import type { AuthEvent } from "../types/events.ts";
import {
  deviceBound,
  type DeviceBoundConfig,
  deviceBoundJwt,
  type DeviceProofMail,
} from "../sign_in/device_bound/provider.ts";

export const LONG = "framework.session-token";
export const SHORT = `${LONG}-device`;
export const GRACE = 10_000;

/** An application whose sessions are bound to devices, and a browser that has one. */
export interface DeviceApplication extends TestApplication {
  mails: DeviceProofMail[];
  told: AuthEvent[];
  ada: Device;
  settle(): Promise<void>;
  isJwt: boolean;
}

/** The options of the strategy and the storage; without a database there is D1. */
export type Place = (now: () => number) => Pick<AuthOptions, "database" | "session" | "secret">;

export function openSqlite(): SqlDatabase {
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  return sqlite(file);
}

export const SECRET = "0123456789abcdef0123456789abcdef";

export const PLACES: Record<string, Place> = {
  "D1": () => ({}),
  "SQLite": () => ({ database: openSqlite() }),
  "memory": () => ({ database: createMemoryStorage() }),
  "jwt, SQLite": () => {
    const database = openSqlite();
    const revocation = createSqlRevocationStore(database);
    return { database, secret: SECRET, session: { strategy: jwtSessions, revocation } };
  },
  "jwt, memory": (now) => ({
    database: createMemoryStorage(),
    secret: SECRET,
    session: { strategy: jwtSessions, revocation: createMemoryRevocationStore(now) },
  }),
};

/** Runs a test with a browser that has a device, over each storage. */
export function testOver(
  claim: string,
  test: (application: DeviceApplication) => Promise<void>,
  { config = {}, options = {}, only = "" }: {
    config?: Partial<DeviceBoundConfig>;
    options?: Partial<AuthOptions>;
    only?: "database" | "jwt" | "";
  } = {},
): void {
  for (const [name, open] of Object.entries(PLACES)) {
    const isJwt = name.startsWith("jwt");
    if (only !== "" && isJwt !== (only === "jwt")) continue;
    Deno.test(`${claim} (${name})`, async () => {
      const mails: DeviceProofMail[] = [];
      const told: AuthEvent[] = [];
      const place = open(() => application.clock.now);
      const bind = isJwt ? deviceBoundJwt : deviceBound;
      const application = createTestApplication({
        providers: [passwordProvider(), accountPage()],
        events: { "*": (event) => void told.push(event) },
        ...options,
        ...place,
        session: {
          ...options.session,
          ...place.session,
          deviceBound: bind({ sendMail: (mail) => void mails.push(mail), ...config }),
        },
      });
      const ada = await createDevice(application);
      const settle = () => new Promise<void>((resolve) => setTimeout(resolve));
      try {
        await test({ ...application, mails, told, ada, settle, isJwt });
      } finally {
        application.close();
      }
    });
  }
}

/** Name of the user whom the application sees. */
export async function seen(application: TestApplication, cookie: string): Promise<string> {
  const page = () => new Response(`${getUser()?.name} ${getSession()?.bound}`);
  return await (await visit(application, page, { cookie })).text();
}
