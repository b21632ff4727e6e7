import { RequestError } from "@framework/auth";

/** More characters than any field of these forms takes: what is longer is neither shown again nor stored. */
const maxLength = 4000;

/** The text fields of a posted form; one that is missing is empty. */
export async function readForm<Name extends string>(
  request: Request,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const form = await request.formData();
  const entries = names.map((name) => {
    const value = form.get(name);
    if (typeof value !== "string") return [name, ""];
    if (value.length > maxLength) {
      throw new RequestError("That text is too long", { code: "PAYLOAD_TOO_LARGE" });
    }
    return [name, value.trim()];
  });
  return Object.fromEntries(entries);
}
