/** The media type of the body, lower case and without parameters; null when none is given. */
export function mediaType({ headers }: { headers: Headers }): string | null {
  const [type] = headers.get("content-type")?.split(";", 1) ?? [];
  return type?.trim().toLowerCase() ?? null;
}
