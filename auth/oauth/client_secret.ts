import { wrongOption } from "../config/check.ts";
import { isFilledText } from "../config/read_values.ts";

/** The application's secret at a provider, where it is a text. */
export function readSecretText(value: unknown, write = "the secret"): string {
  if (isFilledText(value)) return value;
  // A secret is not described, whatever it is.
  throw wrongOption("clientSecret", undefined, write);
}
