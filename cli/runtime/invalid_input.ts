import { AuthError } from "@framework/auth";

/** Values of a form, by the names of its fields; a name that was sent more than once has a list. */
export type FormValues = Record<string, string | string[]>;

/** Form that was refused: the prop `form` of its page. */
export interface InvalidForm {
  /** Message about the form as a whole. */
  message: string;
  /** Messages by the name of the field. */
  fields: Record<string, string[]>;
  /** Values that were sent, without passwords, other secrets and files. */
  values: FormValues;
}

/**
 * Input that was refused, with status 422 (RFC 9110, 15.5.21): of a form, or as JSON
 * `{ code, message, fields }`. {@linkcode invalid} throws it.
 *
 * @example
 * ```ts
 * import { InvalidInputError } from "@framework/cli/runtime";
 * import { deepEqual, equal } from "node:assert/strict";
 *
 * const error = new InvalidInputError({ email: ["This address is taken."] });
 * equal(error.status, 422);
 * deepEqual(error.fields, { email: ["This address is taken."] });
 * ```
 */
export class InvalidInputError extends AuthError {
  /** `"InvalidInputError"`, also in minified code. */
  override readonly name: string = "InvalidInputError";
  /** Stable name of the error. */
  readonly code: "INVALID_INPUT" = "INVALID_INPUT" as const;
  /** Status of the response. */
  readonly status: 422 = 422 as const;
  /** Messages by the name of the field. */
  readonly fields: Record<string, string[]>;

  /**
   * Creates the error; {@linkcode invalid} is shorter.
   *
   * @param fields Messages by the name of the field.
   * @param message Message about the input as a whole.
   */
  constructor(
    fields: Record<string, string[]>,
    message: string = "Some of the fields are not valid. Please correct them.",
  ) {
    super(message);
    this.fields = fields;
  }
}

/**
 * Refuses the input of an action or a route for a reason that its schema cannot know, such as an
 * address that is taken. A page shows its form again, with the values that were sent.
 *
 * @param fields Message or messages by the name of the field.
 * @param message Message about the input as a whole. Default: a request to correct the fields.
 * @throws {InvalidInputError} Always.
 * @example
 * ```ts
 * import { invalid } from "@framework/cli/runtime";
 * import { throws } from "node:assert/strict";
 *
 * const taken = new Set(["acme"]);
 * function createTeam(slug: string): void {
 *   if (taken.has(slug)) invalid({ slug: "This name is taken." });
 *   taken.add(slug);
 * }
 *
 * createTeam("globex");
 * throws(() => createTeam("acme"), { status: 422 });
 * ```
 */
export function invalid(
  fields: Readonly<Record<string, string | readonly string[]>>,
  message?: string,
): never {
  const lists = Object.entries(fields).map(([name, messages]) => [name, [messages].flat()]);
  throw new InvalidInputError(Object.fromEntries(lists), message);
}
