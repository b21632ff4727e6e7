// What comes first wins: most browsers call themselves by the names of others too.
const browsers = ["Firefox", "Edg", "OPR", "SamsungBrowser", "Chrome", "Safari"];
const systems = ["Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux"];
const names: Record<string, string> = {
  Edg: "Edge",
  OPR: "Opera",
  SamsungBrowser: "Samsung Internet",
  "Mac OS X": "macOS",
};

/** A browser as people know it, such as "Firefox on Linux", of what it called itself. */
export function browserName(userAgent: string | null): string {
  const found = [browsers, systems]
    .map((known) => known.find((name) => userAgent?.includes(name)))
    .filter((name) => name !== undefined)
    .map((name) => names[name] ?? name);
  return found.length === 0 ? "Unknown browser" : found.join(" on ");
}
