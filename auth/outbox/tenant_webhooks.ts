/**
 * Webhooks to addresses that tenants have set: option of the outbox, and operations.
 *
 * @module
 */

import type { Settings } from "../core/contracts.ts";
import { currentRequest } from "../core/request.ts";
import { ConfigurationError, RequestError } from "../errors.ts";
import { encodeText, toHex } from "../lib/encoding.ts";
import { seal, unseal } from "../lib/keys.ts";
import { optionsOf, readFunction, readList, wrongOption } from "../lib/options.ts";
import { randomBytes } from "../lib/secret.ts";
import {
  TENANT_PREFIX,
  webhookEndpointGroup,
  type WebhookEndpointRecord,
  type WebhookEndpointStorage,
} from "../storage/webhook_endpoints.ts";
import { groupOf } from "../storage/storage.ts";
import type { AuthEvent } from "../types/events.ts";
import { isFor, type TenantDestinations, tenantsOf, type TenantWebhooks } from "./destination.ts";
import type { Destination } from "./message.ts";
import { webhook } from "./webhook.ts";
import { isPublicWebhookUrl } from "./webhook_address.ts";
import { createWebhookSecret } from "./webhook_signature.ts";

/** Options for {@linkcode tenantWebhooks}. */
export interface TenantWebhooksOptions {
  /** Makes the requests: `createPublicFetch()`, which reaches the public internet alone. */
  fetch: typeof fetch;
  /** Types of events that tenants may have, of those that tell of a tenant. Default: all of these. */
  events?: readonly AuthEvent["type"][];
  /** Number of addresses that a tenant may have, 1 to 100. Default 10. */
  max?: number;
}

/** Events that tell of a tenant: their `tenantId` says which. */
const TENANT_EVENTS: readonly AuthEvent["type"][] = [
  "member-invited",
  "member-added",
  "member-removed",
  "member-roles-changed",
  "api-key-added",
  "api-key-rotated",
  "api-key-removed",
];

const LONGEST_GRACE = 30 * 86_400;

/** An address of a tenant. */
export interface TenantWebhook {
  /** Id of the address. */
  id: string;
  /** The address. */
  url: string;
  /** Types of the events that it gets. */
  events: AuthEvent["type"][];
  /** Time at which it was added. */
  createdAt: Date;
  /** Time until which the secret before signs too; null when there is none. */
  previousUntil: Date | null;
}

/** A new address of a tenant. */
export interface NewTenantWebhook {
  /** The address: `https`, on its own port, without credentials and fragment, and of no private network. */
  url: string;
  /** Types of the events that it gets. Default: all that tenants may have. */
  events?: readonly AuthEvent["type"][];
}

/** An address of a tenant with its secret, which is shown this once. */
export interface MadeTenantWebhook extends TenantWebhook {
  /** Secret by which the receiver verifies what comes. */
  secret: string;
}

/** Options of a new secret. */
export interface RotateTenantWebhookOptions {
  /** Seconds for which the secret before signs too, 0 to 30 days. Default 86,400, a day. */
  grace?: number;
}

function storageOf(settings: Settings): WebhookEndpointStorage {
  return groupOf(settings.storage, webhookEndpointGroup);
}

function sealOptions({ secrets }: Settings, id: string) {
  return { secrets, purpose: "webhook-secret", place: id } as const;
}

/** Ten digits that ids of a tenant's addresses begin with, by which it is given its turn, see `laneOf()`. */
async function digitsOf(tenantId: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", encodeText(tenantId));
  return toHex(new Uint8Array(hash, 0, 5));
}

/** The events that an address gets. */
function eventsOf(
  { events }: WebhookEndpointRecord,
  offered: readonly AuthEvent["type"][],
): AuthEvent["type"][] {
  return offered.filter((type) => events.length === 0 || events.includes(type));
}

/**
 * Has tenants set addresses that the outbox sends their events to, for `outbox({ tenants })`: those about members and
 * invitations, and about API keys of the tenant. `addTenantWebhook()` and its siblings keep the addresses, with secrets that
 * are sealed by the application's `secret`. What an address answers is shown to nobody.
 *
 * @param options The fetch, the events and the number. Default: all events that tell of a tenant, ten addresses.
 * @throws {ConfigurationError} When an option is wrong.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, outbox } from "@framework/auth";
 * import { createPublicFetch, tenantWebhooks } from "@framework/auth/webhooks";
 * import { equal } from "node:assert/strict";
 *
 * const tenants = tenantWebhooks({ fetch: createPublicFetch() });
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   secret: "a secret of at least thirty-two bytes",
 *   providers: [
 *     outbox({ destinations: [], tenants }),
 *   ],
 * });
 * equal((await auth.deliver({})).delivered, 0);
 * ```
 */
export function tenantWebhooks(options: TenantWebhooksOptions): TenantWebhooks {
  optionsOf(options, "tenantWebhooks()", ["fetch", "events", "max"]);
  const { fetch: send, max = 10 } = options;
  if (send === undefined) {
    throw wrongOption(
      "fetch",
      send,
      "createPublicFetch(), which reaches the public internet alone",
    );
  }
  readFunction(send, "fetch", "createPublicFetch()");
  const offered = options.events === undefined
    ? TENANT_EVENTS
    : readList(options.events, "events", "member-added") as readonly AuthEvent["type"][];
  const unknown = offered.find((type) => !TENANT_EVENTS.includes(type));
  if (unknown !== undefined) {
    const names = TENANT_EVENTS.map((type) => `"${type}"`).join(", ");
    throw wrongOption("events", unknown, `events that tell of a tenant: ${names}`);
  }
  if (!Number.isInteger(max) || max < 1 || max > 100) {
    throw wrongOption("max", max, "a number from 1 to 100");
  }

  async function destinationOf(
    settings: Settings,
    endpoint: WebhookEndpointRecord,
  ): Promise<Destination> {
    const { id, url, previousSecret, previousUntil } = endpoint;
    const options = sealOptions(settings, id);
    const secret = await unseal(endpoint.secret, options);
    if (secret === null) {
      throw new ConfigurationError(
        `The secret of the webhook ${id} was sealed with a \`secret\` that is not configured`,
        { field: "secret" },
      );
    }
    const isKept = previousSecret !== null && (previousUntil ?? 0) > settings.now();
    const before = isKept ? await unseal(previousSecret, options) : null;
    return webhook({
      id: TENANT_PREFIX + id,
      url,
      secret,
      fetch: send,
      ...before !== null && { previousSecret: before },
    });
  }

  const isWanted = (type: string) => (offered as readonly string[]).includes(type);

  const definition: TenantDestinations = {
    offered,
    max,
    check(settings) {
      if (settings.secrets.length === 0) {
        throw wrongOption("secret", undefined, "a secret, which seals those of tenantWebhooks()");
      }
      storageOf(settings);
    },
    isWanted,
    async share(settings, { type, at }, tenantId) {
      if (!isWanted(type)) return [];
      const endpoints = await storageOf(settings).listEndpoints(tenantId);
      return endpoints
        .filter((one) => one.createdAt <= at && isFor({ events: eventsOf(one, offered) }, type))
        .map(({ id }) => TENANT_PREFIX + id);
    },
    async list(settings, tenantId) {
      const endpoints = await storageOf(settings).listEndpoints(tenantId);
      return endpoints.map(({ id }) => TENANT_PREFIX + id);
    },
    async end(settings, tenantId) {
      const storage = storageOf(settings);
      for (const { id } of await storage.listEndpoints(tenantId)) {
        await storage.dropEndpoint(tenantId, id);
      }
    },
    owns: (id) => id.startsWith(TENANT_PREFIX),
    async find(settings, id) {
      const endpoint = await storageOf(settings).readEndpoint(id.slice(TENANT_PREFIX.length));
      return endpoint === null ? null : await destinationOf(settings, endpoint);
    },
  };
  return { kind: "tenant-webhooks", definition };
}

/** Tells if a text may be the id of an address: PostgreSQL fails at one that has NUL. */
function isId(value: unknown): boolean {
  return typeof value === "string" && /^wh_\w+$/.test(value);
}

function describe(endpoint: WebhookEndpointRecord, settings: Settings): TenantWebhook {
  const { id, url, createdAt, previousUntil } = endpoint;
  const isKept = (previousUntil ?? 0) > settings.now();
  return {
    id,
    url,
    events: eventsOf(endpoint, tenantsOf(settings).offered),
    createdAt: new Date(createdAt),
    previousUntil: isKept ? new Date(previousUntil!) : null,
  };
}

/**
 * Adds an address to which the events of a tenant are sent. It is not checked who asks: require a permission in that tenant
 * first.
 *
 * @param tenantId Id of the tenant.
 * @param wanted The address, and the types of events that it gets.
 * @returns The address with its secret, which is shown this once.
 * @throws {RequestError} For an address that is not public, for an event that no tenant may have, for an empty list of events,
 * and when the tenant has as many addresses as it may.
 * @throws {ConfigurationError} When the application has no `tenantWebhooks()`.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, outbox } from "@framework/auth";
 * import { addTenantWebhook, createPublicFetch, tenantWebhooks } from "@framework/auth/webhooks";
 * import { match } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   secret: "a secret of at least thirty-two bytes",
 *   providers: [
 *     outbox({ destinations: [], tenants: tenantWebhooks({ fetch: createPublicFetch() }) }),
 *   ],
 * });
 * const request = new Request("https://app.example/webhooks", { method: "POST" });
 * await auth.run(request, {}, {}, async () => {
 *   // requirePermission("webhooks:manage"), then:
 *   const url = "https://hooks.customer.example/in";
 *   const { secret } = await addTenantWebhook("acme", { url, events: ["member-added"] });
 *   match(secret, /^whsec_/);
 *   return new Response();
 * });
 * ```
 */
export async function addTenantWebhook(
  tenantId: string,
  wanted: NewTenantWebhook,
): Promise<MadeTenantWebhook> {
  const { settings } = currentRequest("addTenantWebhook").auth;
  const { offered, max } = tenantsOf(settings);
  // As somebody has entered them, in a form or in JSON.
  const { url, events } = Object(wanted) as Record<keyof NewTenantWebhook, unknown>;
  // In the spelling that counts, without what the parser leaves out: control characters, spaces around it.
  const href = isPublicWebhookUrl(url) ? new URL(url).href : null;
  if (!isPublicWebhookUrl(href)) {
    throw new RequestError(
      "A webhook goes to a public address with https, on its own port, without a name, a password or a fragment in it",
    );
  }
  // None at all would be all of them, which is not what a form says in which nothing is chosen.
  if (events !== undefined && (!Array.isArray(events) || events.length === 0)) {
    throw new RequestError("A webhook gets a list of events, with one at least");
  }
  const types = events as AuthEvent["type"][] | undefined ?? [];
  if (!types.every((type) => offered.includes(type))) {
    throw new RequestError(`A webhook can have these events: ${offered.join(", ")}`);
  }
  const id = `wh_${await digitsOf(tenantId)}${toHex(randomBytes(10))}`;
  const secret = createWebhookSecret();
  const endpoint: WebhookEndpointRecord = {
    id,
    tenantId,
    url: href,
    events: [...new Set(types)],
    secret: await seal(secret, sealOptions(settings, id)),
    previousSecret: null,
    previousUntil: null,
    createdAt: settings.now(),
  };
  if (!await storageOf(settings).insertEndpoint(endpoint, { max })) {
    throw new RequestError(`There are ${max} webhooks, which is the most. Remove one first`);
  }
  return { ...describe(endpoint, settings), secret };
}

/**
 * Lists the addresses of a tenant, the oldest first, without their secrets. It is not checked who asks.
 *
 * @param tenantId Id of the tenant.
 * @throws {ConfigurationError} When the application has no `tenantWebhooks()`.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { listTenantWebhooks } from "@framework/auth/webhooks";
 * import { rejects } from "node:assert/strict";
 *
 * await rejects(listTenantWebhooks("acme"), { code: "OUTSIDE_REQUEST" });
 * ```
 */
export async function listTenantWebhooks(tenantId: string): Promise<TenantWebhook[]> {
  const { settings } = currentRequest("listTenantWebhooks").auth;
  tenantsOf(settings);
  const endpoints = await storageOf(settings).listEndpoints(tenantId);
  return endpoints.map((one) => describe(one, settings));
}

/**
 * Gives an address of a tenant another secret. Until the grace is over each event has a signature of both. It is not checked
 * who asks.
 *
 * @param tenantId Id of the tenant.
 * @param id Id of the address.
 * @param options The grace. Default: a day.
 * @returns The address with its new secret, which is shown this once; null when the tenant has no such address, or another
 * request has changed the secret at the same time.
 * @throws {RequestError} For a grace that is none.
 * @throws {ConfigurationError} When the application has no `tenantWebhooks()`.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { rotateTenantWebhook } from "@framework/auth/webhooks";
 * import { rejects } from "node:assert/strict";
 *
 * await rejects(rotateTenantWebhook("acme", "wh_1"), { code: "OUTSIDE_REQUEST" });
 * ```
 */
export async function rotateTenantWebhook(
  tenantId: string,
  id: string,
  { grace = 86_400 }: RotateTenantWebhookOptions = {},
): Promise<MadeTenantWebhook | null> {
  const { settings } = currentRequest("rotateTenantWebhook").auth;
  tenantsOf(settings);
  if (!Number.isInteger(grace) || grace < 0 || grace > LONGEST_GRACE) {
    throw new RequestError(`The secret before counts for 0 to ${LONGEST_GRACE} seconds more`);
  }
  if (!isId(id)) return null;
  const storage = storageOf(settings);
  const endpoint = await storage.readEndpoint(id);
  if (endpoint?.tenantId !== tenantId) return null;
  const secret = createWebhookSecret();
  const secrets = {
    secret: await seal(secret, sealOptions(settings, id)),
    previousSecret: grace === 0 ? null : endpoint.secret,
    previousUntil: grace === 0 ? null : settings.now() + grace * 1000,
  };
  if (!await storage.swapEndpointSecrets(id, { from: endpoint.secret, ...secrets })) return null;
  return { ...describe({ ...endpoint, ...secrets }, settings), secret };
}

/**
 * Removes an address of a tenant: it gets nothing more, also of what was to be sent. It is not checked who asks.
 *
 * @param tenantId Id of the tenant.
 * @param id Id of the address.
 * @returns False when the tenant has no such address.
 * @throws {ConfigurationError} When the application has no `tenantWebhooks()`.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { removeTenantWebhook } from "@framework/auth/webhooks";
 * import { rejects } from "node:assert/strict";
 *
 * await rejects(removeTenantWebhook("acme", "wh_1"), { code: "OUTSIDE_REQUEST" });
 * ```
 */
export async function removeTenantWebhook(tenantId: string, id: string): Promise<boolean> {
  const { settings } = currentRequest("removeTenantWebhook").auth;
  tenantsOf(settings);
  return isId(id) && await storageOf(settings).dropEndpoint(tenantId, id);
}
