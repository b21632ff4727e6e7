/** The text fields of a posted form; one that is missing is empty. */
export async function readForm<Name extends string>(
  request: Request,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const form = await request.formData();
  const entries = names.map((name) => {
    const value = form.get(name);
    return [name, typeof value === "string" ? value.trim() : ""];
  });
  return Object.fromEntries(entries);
}
