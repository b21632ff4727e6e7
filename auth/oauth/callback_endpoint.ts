import { RequestError } from "../errors/request_errors.ts";
import { readFields, readPairs } from "../http/read_fields.ts";
import { exchangeCode } from "./exchange_code.ts";
import { failureResponse } from "./failure_response.ts";
import { finishSignIn } from "./finish_sign_in.ts";
import { linkingOf } from "./linking.ts";
import type { OAuthClient } from "./oauth_client.ts";
import { readProfile } from "./read_profile.ts";
import { redirectUriOf } from "./start_endpoint.ts";
import { finishTransaction } from "./transaction.ts";
import type { Transaction } from "./contracts.ts";
import type { Endpoint, EndpointContext } from "../http/contracts.ts";

/** The fields of the provider's answer. */
async function readAnswer({ store, url }: EndpointContext): Promise<ReadonlyMap<string, string>> {
  const { request } = store;
  if (request.method === "POST") return await readFields(request, { optional: false });
  // Whoever only looks whether there is something must not use up the sign-in.
  if (request.method === "HEAD") {
    throw new RequestError(undefined, { code: "METHOD_NOT_ALLOWED", allow: "GET" });
  }
  return readPairs(url.searchParams, "parameter of the address");
}

/**
 * `GET /callback/<id>`, or POST for a provider that answers by a form: where the provider sends the
 * visitor back to. Nothing is asked of the provider before the answer is known to belong to a sign-in
 * that this browser began.
 */
export function callbackEndpoint(client: OAuthClient): Endpoint {
  return async function comeBackFromProvider(context) {
    const { settings } = context.store.auth;
    const fields = await readAnswer(context);
    let transaction: Transaction | undefined;
    try {
      const begun = await finishTransaction(context, client, fields.get("state") ?? null);
      transaction = begun;
      const answer = { fields, redirectUri: redirectUriOf(context, client), secrets: begun };
      const { tokens, profile } = await exchangeCode(client, answer, settings);
      const said = readProfile(client, profile, settings.now());
      const proven = { client, transaction, tokens, profile, said };
      return begun.link === null
        ? await finishSignIn(context, proven)
        : await linkingOf(settings).finish(context, proven, begun.link);
    } catch (error) {
      const { callbackUrl = null, link = null } = transaction ?? {};
      return failureResponse(error, context, { client, callbackUrl, link });
    }
  };
}
