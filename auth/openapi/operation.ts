/**
 * Descriptions of endpoints, as the tables of this folder hold them.
 *
 * @module
 */

import type { SCHEMAS } from "./schemas.ts";

/**
 * Description of one endpoint. Errors that every endpoint may answer, such as a refused cross-site request, are not listed
 * with each.
 */
export interface Operation {
  /** Id, by which generators name their functions. */
  id: string;
  /** Its work, as a short sentence. */
  summary: string;
  /** True where a session is needed, "optional" where it is read if there is one. Default false. */
  signedIn?: boolean | "optional";
  /** True where the cookie of a sign-in that waits for its second step is read. Default false. */
  waiting?: true;
  /** Fields of the body, each with its description. A name that ends in "?" may be left out. */
  fields?: Readonly<Record<string, string>>;
  /** Parameters of the address, in the same way. */
  query?: Readonly<Record<string, string>>;
  /** Schema of the JSON in the answer. Default: it answers none. */
  json?: keyof typeof SCHEMAS;
  /** True for an answer in HTML, with JSON for a client that prefers it where there is a schema. Default false. */
  page?: boolean;
  /** True for a redirect in the answer, in the same way. Default false. */
  redirect?: boolean;
  /** True for 204 without a body. Default false. */
  empty?: boolean;
  /** Media type of the answer, where it is neither JSON nor a page. Default: none. */
  media?: string;
  /** Codes of the errors that are its own. */
  codes?: readonly string[];
}

/** Descriptions of endpoints by method and path below the base path; `{provider}` stands for the id of a provider. */
export type Operations = Readonly<Record<string, Operation>>;

/** Field of the forms that lead on to another page. */
export const CALLBACK: Readonly<Record<string, string>> = {
  "callbackUrl?": "Address to go on to. One of another origin is followed only when it is trusted.",
};
