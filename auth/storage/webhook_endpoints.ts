/**
 * Addresses that tenants have set for webhooks: port, SQL and accessor.
 *
 * @module
 */

import type { SqlParts, StorageGroup } from "./group.ts";
import {
  columnsOf,
  type Fields,
  isText,
  isTextOrNull,
  isTime,
  isTimeOrNull,
  type Row,
} from "./rows.ts";
import { changesOf } from "./sql_executor.ts";

/** Beginning of the ids of destinations that tenants set. */
export const TENANT_PREFIX = "tenant:";

/** An address of a tenant. */
export interface WebhookEndpointRecord {
  /** Public id. */
  id: string;
  /** Id of the tenant. */
  tenantId: string;
  /** The address. */
  url: string;
  /** Types of the events that it gets; empty for all. */
  events: string[];
  /** Secret of the address, sealed. */
  secret: string;
  /** The secret before it, sealed; null for none. */
  previousSecret: string | null;
  /** Time until which that one signs too, in milliseconds since 1970; null for none. */
  previousUntil: number | null;
  /** Time at which it was added, in milliseconds since 1970. */
  createdAt: number;
}

/** Secrets in the place of others. */
export interface SwapEndpointSecretsOptions
  extends Pick<WebhookEndpointRecord, "secret" | "previousSecret" | "previousUntil"> {
  /** Secret that was read, as it was sealed. */
  from: string;
}

/** Operations on addresses of tenants. */
export interface WebhookEndpointStorage {
  /** Stores an address, unless the tenant has `max` already; false then. Unique: one id. Not safe to repeat. */
  insertEndpoint(endpoint: WebhookEndpointRecord, options: { max: number }): Promise<boolean>;
  /** Lists the addresses of a tenant, the oldest first. Safe to repeat. */
  listEndpoints(tenantId: string): Promise<WebhookEndpointRecord[]>;
  /** Reads an address; null when there is none. Safe to repeat. */
  readEndpoint(id: string): Promise<WebhookEndpointRecord | null>;
  /** Reads the next addresses in the order of their ids, after one; "" at first. Safe to repeat. */
  pageEndpoints(after: string, limit: number): Promise<WebhookEndpointRecord[]>;
  /**
   * Puts secrets in the place of those that were read. False when there are others by now, or none. Safe to repeat: the
   * second call changes nothing and says false.
   */
  swapEndpointSecrets(id: string, secrets: SwapEndpointSecretsOptions): Promise<boolean>;
  /** Removes an address of a tenant; false when it has none of this id. Safe to repeat. */
  dropEndpoint(tenantId: string, id: string): Promise<boolean>;
}

const ENDPOINT: Fields<Omit<WebhookEndpointRecord, "events">> = {
  id: isText,
  tenantId: isText,
  url: isText,
  secret: isText,
  previousSecret: isTextOrNull,
  previousUntil: isTimeOrNull,
  createdAt: isTime,
};

/** The statements. */
function writeStatements() {
  const columns = columnsOf(ENDPOINT);
  const select = `SELECT ${columns}, events FROM webhook_endpoints`;
  return {
    /** ?1 to ?7 the columns, ?8 events, ?9 the largest number. */
    insert:
      `INSERT INTO webhook_endpoints (${columns}, events) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
WHERE (SELECT COUNT(*) FROM webhook_endpoints AS known WHERE known.tenant_id = ?2) < ?9`,
    /** ?1 tenant. */
    list: `${select} WHERE tenant_id = ?1 ORDER BY created_at, id`,
    /** ?1 id. */
    read: `${select} WHERE id = ?1`,
    /** ?1 id before, ?2 limit. */
    page: `${select} WHERE id > ?1 ORDER BY id LIMIT ?2`,
    /** ?1 id, ?2 secret that was read, ?3 new one, ?4 the one before, ?5 its end. */
    swap: `UPDATE webhook_endpoints SET secret = ?3, previous_secret = ?4, previous_until = ?5
WHERE id = ?1 AND secret = ?2`,
    /** ?1 tenant, ?2 id. */
    drop: "DELETE FROM webhook_endpoints WHERE tenant_id = ?1 AND id = ?2",
  };
}

/** Makes the operations on addresses of tenants. */
function createWebhookEndpointOperations(
  { executor: { prepare, batch, repeat, once }, reader, dialect }: SqlParts,
): WebhookEndpointStorage {
  const text = writeStatements();

  function read(row: Row | null): WebhookEndpointRecord | null {
    const record = row && reader.record(row, ENDPOINT);
    const events = row && reader.texts(row, "events");
    return record && events && { ...record, events };
  }

  return {
    insertEndpoint(
      { id, tenantId, url, events, secret, previousSecret, previousUntil, createdAt },
      { max },
    ) {
      return once("store the address", async () => {
        const results = await batch([
          // Two at once would each count the other's row as not there.
          ...dialect === undefined
            ? []
            : [prepare(dialect.lockText).bind(`webhook endpoints of ${tenantId}`)],
          prepare(text.insert).bind(
            ...[id, tenantId, url, secret, previousSecret, previousUntil, createdAt],
            ...[JSON.stringify(events), max],
          ),
        ]);
        return changesOf(results.at(-1)) > 0;
      });
    },
    listEndpoints(tenantId) {
      return repeat("list the addresses", async () => {
        const { results } = await prepare(text.list).bind(tenantId).all<Row>();
        return results.map(read).filter((one) => one !== null);
      });
    },
    readEndpoint(id) {
      return repeat(
        "read the address",
        async () => read(await prepare(text.read).bind(id).first<Row>()),
      );
    },
    pageEndpoints(after, limit) {
      return repeat("read the addresses", async () => {
        const { results } = await prepare(text.page).bind(after, limit).all<Row>();
        return results.map(read).filter((one) => one !== null);
      });
    },
    swapEndpointSecrets(id, { from, secret, previousSecret, previousUntil }) {
      return repeat("change the secret of the address", async () => {
        const swap = prepare(text.swap).bind(id, from, secret, previousSecret, previousUntil);
        return changesOf(await swap.run()) > 0;
      });
    },
    dropEndpoint(tenantId, id) {
      return repeat(
        "remove the address",
        async () => changesOf(await prepare(text.drop).bind(tenantId, id).run()) > 0,
      );
    },
  };
}

/**
 * Group of operations on addresses of tenants, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, webhookEndpointGroup } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const endpoints = groupOf(createMemoryStorage(), webhookEndpointGroup);
 * deepEqual(await endpoints.listEndpoints("acme"), []);
 * ```
 */
export const webhookEndpointGroup: StorageGroup<WebhookEndpointStorage> = {
  name: "webhookEndpoints",
  sql: createWebhookEndpointOperations,
};
