import { invalidResponse, parseObject } from "./call_provider.ts";
import { postForm } from "./client_auth.ts";
import type { PushRequest } from "./oauth_client.ts";
import { readReason } from "./read_tokens.ts";

/** Makes what sends requests ahead, so that the visitor carries only their name (RFC 9126). */
export function createPushRequest(url: string): PushRequest {
  return async function pushRequest(parameters, at) {
    const reply = await postForm(url, new URLSearchParams(parameters), at);
    const { request_uri: requestUri, error } = parseObject(reply);
    if (reply.status !== 201 || typeof requestUri !== "string") {
      throw invalidResponse(`The provider refused the request: "${readReason(error)}"`);
    }
    return { client_id: at.client.clientId, request_uri: requestUri };
  };
}
