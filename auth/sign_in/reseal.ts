/**
 * Secrets of second factors, tokens of providers and secrets of webhooks, sealed anew after the application's `secret` was rotated. The sweep of
 * what has ended does not do it: a storage knows no secret, and deletes where this must not.
 *
 * @module
 */

import type { Settings } from "../core/contracts.ts";
import { ConfigurationError } from "../errors.ts";
import { createResealer } from "../lib/keys.ts";
import { checkKeys, wrongOption } from "../lib/options.ts";
import type { Auth } from "../session/context_auth.ts";
import { settingsOf } from "../session/settings_of.ts";
import { sealedGroup, type SealedStorage, type SealedTokens } from "../storage/sealed.ts";
import { groupOf } from "../storage/storage.ts";
import { webhookEndpointGroup } from "../storage/webhook_endpoints.ts";
import { leaseEnd, withoutLease } from "./oauth/access_token.ts";
import { placeOfTokens } from "./oauth/tokens.ts";
import { placeOfSecret } from "./second_factor/factor.ts";

/** Options for {@linkcode resealSecrets}. */
export interface ResealSecretsOptions {
  /** Number of values that one call seals anew at most, 1 to 100,000. Default 1000. */
  limit?: number;
}

/** Outcome of {@linkcode resealSecrets}, counted in sealed values: an account has one or two, a second factor has one. */
export interface ResealedSecrets {
  /** Values that this call has sealed anew. */
  resealed: number;
  /** Values that still need an older secret. With 0, none of those in the database does. */
  left: number;
  /**
   * Values that none of the secrets opens. They stay as they are, and the log names them as `sealed-value-unreadable`. No secret
   * in the list is needed for them.
   */
  unreadable: number;
}

const PAGE = 500;
const MAX_LIMIT = 100_000;
const MAX_LINES = 100;
// The clocks of two servers may differ by this: who refreshes a token must find the row as it was.
const SKEW = 60_000;

/** A run through the database: what it has counted, and how it seals anew. */
interface Run {
  settings: Settings;
  sealed: SealedStorage;
  limit: number;
  counts: ResealedSecrets;
}

/** Opens and seals anew one value; the same one where there is nothing to do. */
type Reseal = (value: string) => Promise<string>;

/** Seals by a key of its purpose, and tells of what no secret opens. */
async function resealerOf(
  { settings: { secrets, logger }, counts }: Run,
  purpose: "second-factor" | "provider-token" | "webhook-secret",
): Promise<(place: string, about: Record<string, string>) => Reseal> {
  const reseal = await createResealer({ secrets, purpose });
  return (place, about) => async (value) => {
    const anew = await reseal(value, place);
    if (anew !== null) return anew;
    if (++counts.unreadable <= MAX_LINES) {
      logger.error("sealed-value-unreadable", {
        ...about,
        message: "A value in the database was sealed with a `secret` that is not configured",
      });
    }
    return value;
  };
}

/** Writes what was sealed anew of one row, unless that is enough for one call, and counts it. */
async function write(run: Run, values: number, swap: () => Promise<boolean>): Promise<void> {
  const { counts, limit } = run;
  if (values === 0) return;
  const fits = counts.resealed + values <= limit || counts.resealed === 0;
  if (fits && await swap()) counts.resealed += values;
  else counts.left += values;
}

async function resealFactors(run: Run): Promise<void> {
  const resealer = await resealerOf(run, "second-factor");
  let after = "";
  for (let length = PAGE; length === PAGE;) {
    const page = await run.sealed.pageFactorSecrets(after, PAGE);
    for (const { userId, secret: from } of page) {
      const reseal = resealer(placeOfSecret(userId), { userId, provider: "second-factor" });
      const to = await reseal(from);
      const swap = () => run.sealed.swapFactorSecret(userId, { from, to });
      await write(run, to === from ? 0 : 1, swap);
      after = userId;
    }
    length = page.length;
  }
}

/** The row while another request refreshes the token: its new ones are sealed by the first secret, and must not be refused. */
function isLeased({ refreshToken }: SealedTokens, { now }: Settings): boolean {
  return leaseEnd({ refreshToken }) + SKEW > now();
}

async function resealTokens(run: Run): Promise<void> {
  const { settings, sealed } = run;
  const resealer = await resealerOf(run, "provider-token");
  let after = { provider: "", providerAccountId: "" };
  for (let length = PAGE; length === PAGE;) {
    const page = await sealed.pageSealedTokens(after, PAGE);
    for (const row of page) {
      after = row;
      const { provider, userId } = row;
      const reseal = resealer(placeOfTokens(row), { userId, provider });
      const before = [row.accessToken, row.refreshToken && withoutLease(row.refreshToken)];
      const [accessToken = null, refreshToken = null] = await Promise.all(
        before.map((value) => value === null ? null : reseal(value)),
      );
      const values = [accessToken, refreshToken].filter((value, at) => value !== before[at]);
      const tokens = { from: row.updatedAt, accessToken, refreshToken };
      await write(
        run,
        values.length,
        async () => !isLeased(row, settings) && await sealed.swapSealedTokens(row, tokens),
      );
    }
    length = page.length;
  }
}

async function resealEndpoints(run: Run): Promise<void> {
  // A storage of the application's own may have none.
  const endpoints = run.settings.storage.group?.(webhookEndpointGroup) ?? null;
  if (endpoints === null) return;
  const resealer = await resealerOf(run, "webhook-secret");
  let after = "";
  for (let length = PAGE; length === PAGE;) {
    const page = await endpoints.pageEndpoints(after, PAGE);
    for (const { id, secret: from, previousSecret: before, previousUntil } of page) {
      after = id;
      const reseal = resealer(id, { webhook: id });
      const secret = await reseal(from);
      const previousSecret = before === null ? null : await reseal(before);
      const values = [secret !== from, previousSecret !== before].filter((one) => one).length;
      const swap = () =>
        endpoints.swapEndpointSecrets(id, { from, secret, previousSecret, previousUntil });
      await write(run, values, swap);
    }
    length = page.length;
  }
}

/**
 * Seals anew what older secrets of the list `secret` have sealed: the secrets of authenticator apps, the tokens of
 * providers and the secrets of tenants' webhooks. Call it from a timer after a rotation until `left` is 0. It reads all of them page by page, without a lock and
 * without a request, and writes at most `limit`: the next call goes on where this one has ended, also after a crash. What a
 * user changes at the same moment is not written over.
 *
 * @param auth What `createAuth()` made, with the new secret first in `secret`.
 * @param env Environment of the application.
 * @param options Number of values for one call. Default: 1000.
 * @throws {ConfigurationError} Without `secret` or a database, with a wrong `limit`, and for a storage without the group
 * `sealed`.
 * @throws {StorageUnavailableError} When the database does not answer; what was sealed anew until then stays so.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, resealSecrets } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   secret: ["the new secret of at least thirty-two bytes", "the old secret of at least thirty-two bytes"],
 * });
 * deepEqual(await resealSecrets(auth, {}), { resealed: 0, left: 0, unreadable: 0 });
 * ```
 */
export async function resealSecrets<Env>(
  auth: Auth<Env>,
  env: Env,
  options: ResealSecretsOptions = {},
): Promise<ResealedSecrets> {
  checkKeys(options, ["limit"], "resealSecrets()");
  const { limit = 1000 } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw wrongOption("limit", limit, `a number from 1 to ${MAX_LIMIT}`);
  }
  const settings = settingsOf(auth, env);
  if (settings.secrets.length === 0) {
    throw new ConfigurationError(
      "Cannot seal anything anew: the application has no `secret`, so it has sealed nothing",
      { field: "secret" },
    );
  }
  const counts = { resealed: 0, left: 0, unreadable: 0 };
  const run = { settings, limit, counts, sealed: groupOf(settings.storage, sealedGroup) };
  await resealFactors(run);
  await resealTokens(run);
  await resealEndpoints(run);
  return counts;
}
