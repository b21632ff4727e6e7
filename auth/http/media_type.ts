/** The media type of the body, lower case and without parameters; null when none is given. */
export function mediaType({ headers }: { headers: Headers }): string | null {
  const header = headers.get("content-type");
  if (header === null) return null;
  const end = header.indexOf(";");
  return (end === -1 ? header : header.slice(0, end)).trim().toLowerCase();
}
