/**
 * An application with everything that brings endpoints.
 *
 * @module
 */

import {
  accountPage,
  adminPage,
  apiKeys,
  type AuthOptions,
  automaticPasskeys,
  createMemoryStorage,
  credentials,
  defaultTheme,
  defineRBAC,
  deviceBound,
  email,
  github,
  impersonation,
  passkey,
  passkeyMails,
  passwords,
  secondFactor,
  teamPage,
} from "@framework/auth";
import {
  createMemoryTenantMembers,
  createMemoryTenantStorage,
  defineTenancy,
} from "@framework/auth/tenant";

const sendMail = async () => {};

/** Its options. */
export function everything(baseUrl: string): AuthOptions {
  return {
    baseUrl,
    database: createMemoryStorage(),
    secret: "a secret of the test, of 32 bytes or more",
    session: { strategy: "database", bearer: true, deviceBound: deviceBound() },
    pages: { theme: defaultTheme },
    rbac: defineRBAC({
      roles: [{ id: "admin", name: "Administrator", permissions: ["*"] }],
      teamRoles: [{ id: "owner", name: "Owner", permissions: ["posts:*"] }],
    }),
    tenancy: defineTenancy({
      strategy: "path",
      storage: createMemoryTenantStorage(),
      members: createMemoryTenantMembers(),
    }),
    providers: [
      passwords({ sendMail }),
      passkey({ automatic: automaticPasskeys({ sendMail }), mails: passkeyMails({ sendMail }) }),
      email({ sendMail, code: true }),
      github({ clientId: "id", clientSecret: "secret" }),
      credentials({
        id: "pin",
        credentials: { pin: { label: "PIN", type: "password", required: true } },
        authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
      }),
      secondFactor({ sendMail, recovery: { after: 86_400 } }),
      apiKeys({ prefix: "acme" }),
      accountPage({ sendEmailChange: sendMail }),
      teamPage({ sendMail, canCreate: true }),
      adminPage({ permission: "users:manage" }),
      impersonation({ permission: "users:impersonate" }),
    ],
  };
}
