import assert from "node:assert/strict";
import type { WebhookEndpointRecord } from "@framework/auth/storage";
import type { StorageCase } from "./complete_storage.ts";
import { NOW } from "./records.ts";
import { inSuite } from "./suites.ts";

function endpoint(
  id: string,
  changes: Partial<WebhookEndpointRecord> = {},
): WebhookEndpointRecord {
  return {
    id,
    tenantId: "t1",
    url: `https://${id}.example/`,
    events: ["member-added", "member-removed"],
    secret: `sealed-of-${id}`,
    previousSecret: null,
    previousUntil: null,
    createdAt: NOW,
    ...changes,
  };
}

const FEW = { max: 3 };

/** Cases about addresses of tenants that every storage must pass. */
export const WEBHOOK_ENDPOINT_CASES: Record<string, StorageCase> = inSuite("operations", {
  "listEndpoints() and readEndpoint() give back what insertEndpoint() stored, of one tenant, the oldest first":
    async (
      storage,
    ) => {
      const late = endpoint("a", { createdAt: NOW + 1, events: [] });
      const full = endpoint("b", { previousSecret: "old", previousUntil: NOW + 9 });
      const hers = endpoint("c", { tenantId: "t2" });
      for (const one of [late, full, hers]) {
        assert.equal(await storage.insertEndpoint(one, FEW), true);
      }
      assert.deepEqual(await storage.listEndpoints("t1"), [full, late]);
      assert.deepEqual(await storage.listEndpoints("t2"), [hers]);
      assert.deepEqual(await storage.listEndpoints("t3"), []);
      assert.deepEqual(await storage.readEndpoint("b"), full);
      assert.equal(await storage.readEndpoint("d"), null);
      assert.deepEqual(await storage.pageEndpoints("", 2), [late, full]);
      assert.deepEqual(await storage.pageEndpoints("b", 2), [hers]);
    },
  "insertEndpoint() stores no more than a tenant may have": async (storage) => {
    for (const id of ["a", "b", "c"]) {
      assert.equal(await storage.insertEndpoint(endpoint(id), FEW), true);
    }
    assert.equal(await storage.insertEndpoint(endpoint("d"), FEW), false);
    assert.equal(await storage.insertEndpoint(endpoint("d", { tenantId: "t2" }), FEW), true);
    assert.equal(await storage.dropEndpoint("t1", "a"), true);
    assert.equal(await storage.insertEndpoint(endpoint("e"), FEW), true);
  },
  "dropEndpoint() removes an address of this tenant and of no other": async (storage) => {
    await storage.insertEndpoint(endpoint("a"), FEW);
    assert.equal(await storage.dropEndpoint("t2", "a"), false);
    assert.equal(await storage.dropEndpoint("t1", "b"), false);
    assert.equal(await storage.dropEndpoint("t1", "a"), true);
    assert.equal(await storage.dropEndpoint("t1", "a"), false);
    assert.equal(await storage.readEndpoint("a"), null);
  },
  "swapEndpointSecrets() changes the secrets of an address, and nothing else, where they are as they were read":
    async (
      storage,
    ) => {
      const before = endpoint("a");
      await storage.insertEndpoint(before, FEW);
      await storage.insertEndpoint(endpoint("b"), FEW);
      const from = before.secret;
      const next = { secret: "new", previousSecret: from, previousUntil: NOW + 5 };
      assert.equal(await storage.swapEndpointSecrets("a", { from: "other", ...next }), false);
      assert.equal(await storage.swapEndpointSecrets("a", { from, ...next }), true);
      assert.equal(await storage.swapEndpointSecrets("a", { from, ...next }), false);
      assert.deepEqual(await storage.readEndpoint("a"), { ...before, ...next });
      assert.deepEqual(await storage.readEndpoint("b"), endpoint("b"));
    },
});

/** Races about addresses of tenants that every storage must pass. */
export const WEBHOOK_ENDPOINT_RACES: Record<string, StorageCase> = inSuite("races", {
  "insertEndpoint() stores no more than a tenant may have, of many at once": async (storage) => {
    const stored = await Promise.all(
      ["a", "b", "c", "d", "e", "f"].map((id) => storage.insertEndpoint(endpoint(id), FEW)),
    );
    assert.equal(stored.filter((one) => one).length, 3);
    assert.equal((await storage.listEndpoints("t1")).length, 3);
  },
  "swapEndpointSecrets() has one of several at once change what all have read": async (storage) => {
    await storage.insertEndpoint(endpoint("a"), FEW);
    const from = "sealed-of-a";
    const swapped = await Promise.all(
      ["1", "2", "3", "4"].map((secret) =>
        storage.swapEndpointSecrets("a", { from, secret, previousSecret: from, previousUntil: NOW })
      ),
    );
    assert.equal(swapped.filter((one) => one).length, 1);
  },
});
