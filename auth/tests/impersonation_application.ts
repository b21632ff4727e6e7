import assert from "node:assert/strict";
import type { AuthOptions } from "../app/options.ts";
import type { RequestInfo } from "../core/client_address.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { getActor } from "../session/actor.ts";
import { getUser } from "../session/operations.ts";
import {
  createTestApplication,
  inVisit,
  passwordProvider,
  type TestApplication,
} from "./application.ts";
import type { AuthEvent } from "../types/events.ts";
import { adminPage } from "../account/admin_page.ts";
import { impersonation } from "../account/impersonation.ts";
import { accountPage } from "../account/page.ts";

export const ROLES = [
  { id: "owner", name: "Owner", permissions: ["*"] },
  {
    id: "support",
    name: "Support",
    permissions: ["users:manage", "users:impersonate", "posts:read"],
  },
  { id: "reader", name: "Reader", permissions: ["posts:read"] },
  { id: "editor", name: "Editor", permissions: ["posts:update"] },
];

export interface Application extends TestApplication {
  told: AuthEvent[];
  give(id: string, ...roles: string[]): void;
  /** Runs application code in a request with these cookies. What it throws is thrown, though the request answers it. */
  within<Result>(cookie: string, work: () => Promise<Result> | Result): Promise<Result>;
  /** Has somebody act for a user; the cookies afterwards. */
  act(cookie: string, id?: string, fields?: Record<string, string>): Promise<string>;
}

/** Takes work that a response does not wait for, such as entries of the trail, and waits for it. */
export function background(): { info: RequestInfo; settled(): Promise<unknown> } {
  const pending: Promise<unknown>[] = [];
  const waitUntil = (promise: Promise<unknown>) => void pending.push(promise);
  return {
    info: { clientAddress: "192.0.2.1", waitUntil },
    settled: () => Promise.all(pending),
  };
}

export function createApplication(options: Partial<AuthOptions> = {}): Application {
  const told: AuthEvent[] = [];
  const application = createTestApplication({
    rateLimit: false,
    rbac: defineRBAC({ roles: ROLES }),
    events: { "*": (event) => void told.push(event) },
    ...options,
    providers: [
      ...options.providers ?? [],
      passwordProvider(),
      accountPage(),
      adminPage({ permission: "users:manage" }),
      impersonation({ permission: "users:impersonate" }),
    ],
  });
  const { sqlite } = application.database;
  return {
    ...application,
    told,
    give(id, ...roles) {
      sqlite.prepare("UPDATE users SET roles = ? WHERE id = ?").run(JSON.stringify(roles), id);
    },
    async within(cookie, work) {
      let result!: Awaited<ReturnType<typeof work>>;
      const { info, settled } = background();
      try {
        await inVisit(application, async () => {
          result = await work();
          return new Response();
        }, { cookie, path: "/app", method: "POST", info });
      } finally {
        await settled();
      }
      return result;
    },
    async act(cookie, id = "reader", fields = {}) {
      const { info, settled } = background();
      const response = await application.send("/impersonation", {
        cookie,
        fields: { id, reason: "Ticket 17", ...fields },
        info,
      });
      await settled();
      assert.equal(response.status, 303, await response.text());
      const [line] = response.headers.getSetCookie();
      assert.match(line!, /^__Host-framework\.impersonation=.*; HttpOnly/);
      return `${cookie}; ${line!.split(";")[0]}`;
    },
  };
}

export type People = Record<"owner" | "support" | "editor" | "reader", string>;

export async function signInAll(application: Application): Promise<People> {
  const cookies = { owner: "", support: "", editor: "", reader: "" };
  for (const name of Object.keys(cookies) as (keyof People)[]) {
    cookies[name] = await application.signIn(name);
    application.give(name, name);
  }
  application.told.length = 0;
  return cookies;
}

export async function withPeople(
  work: (application: Application, cookies: People) => Promise<void>,
  options: Partial<AuthOptions> = {},
): Promise<void> {
  const application = createApplication(options);
  try {
    await work(application, await signInAll(application));
    const failed = application.log.filter(({ event }) => /failed$/.test(event));
    assert.deepEqual(failed, []);
  } finally {
    application.close();
  }
}

export const seen = () => [getUser()?.id ?? null, getActor()?.id ?? null];
