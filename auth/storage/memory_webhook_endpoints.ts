// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

/**
 * Addresses of tenants of the memory storage.
 *
 * @module
 */

import type { MemoryState } from "./memory_state.ts";
import type { WebhookEndpointRecord, WebhookEndpointStorage } from "./webhook_endpoints.ts";

function copy(endpoint: WebhookEndpointRecord): WebhookEndpointRecord {
  return { ...endpoint, events: [...endpoint.events] };
}

function byId(a: WebhookEndpointRecord, b: WebhookEndpointRecord): number {
  return a.id < b.id ? -1 : 1;
}

/** Makes the operations on addresses of tenants. No body waits, which is what makes it atomic. */
export function createMemoryWebhookEndpoints({ endpoints }: MemoryState): WebhookEndpointStorage {
  const ofTenant = (tenantId: string) =>
    [...endpoints.values()].filter((one) => one.tenantId === tenantId);

  return {
    async insertEndpoint(endpoint, { max }) {
      if (ofTenant(endpoint.tenantId).length >= max) return false;
      if (endpoints.has(endpoint.id)) throw new Error("The id is taken");
      endpoints.set(endpoint.id, copy(endpoint));
      return true;
    },
    async listEndpoints(tenantId) {
      return ofTenant(tenantId).sort((a, b) => a.createdAt - b.createdAt || byId(a, b)).map(copy);
    },
    async readEndpoint(id) {
      const endpoint = endpoints.get(id);
      return endpoint === undefined ? null : copy(endpoint);
    },
    async pageEndpoints(after, limit) {
      return [...endpoints.values()].filter(({ id }) => id > after).sort(byId).slice(0, limit)
        .map(copy);
    },
    async swapEndpointSecrets(id, { from, ...secrets }) {
      const endpoint = endpoints.get(id);
      if (endpoint?.secret !== from) return false;
      Object.assign(endpoint, secrets);
      return true;
    },
    async dropEndpoint(tenantId, id) {
      return endpoints.get(id)?.tenantId === tenantId && endpoints.delete(id);
    },
  };
}
