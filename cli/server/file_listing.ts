import type { SqlDatabase, SqlValue } from "@framework/auth/storage";
import { Buffer } from "node:buffer";
import { checkOptions } from "./file_option_checks.ts";
import { type ListOptions, readListOptions } from "./file_list_options.ts";
import { firstBehind } from "./key_range.ts";
import { type FileRow, type StoredFile, toFile } from "./stored_file.ts";

/** One page of objects. */
export interface FileList {
  objects: StoredFile[];
  truncated: boolean;
  cursor?: string;
  delimitedPrefixes: string[];
}

/** Beginning of a page: at a text, and behind a key. */
type Place = [from: string, after: string];

/**
 * Lists objects in the order of their keys' bytes.
 *
 * @param database The database of the server.
 * @param bucket Name of the bucket.
 * @throws {Error} For a wrong limit, and a cursor that is none.
 */
export async function listFiles(
  database: SqlDatabase,
  bucket: string,
  options: ListOptions | null | undefined,
): Promise<FileList> {
  const { limit, prefix, cursor, delimiter, startAfter, include = [], ...rest } = readListOptions(
    options,
  );
  checkOptions("list", rest, []);
  const shown = {
    http: include.includes("httpMetadata"),
    custom: include.includes("customMetadata"),
  };
  const end = firstBehind(prefix);
  const objects: StoredFile[] = [];
  const prefixes: string[] = [];
  let [from, after]: Place = cursor ? readCursor(cursor) : [prefix, ""];
  // A cursor may be used with other options than those that it was made with.
  from = furthest(from, prefix);
  after = furthest(after, startAfter ?? "");
  const page = (rest: { truncated: boolean; cursor?: string }): FileList => ({
    objects,
    ...rest,
    delimitedPrefixes: prefixes,
  });
  for (;;) {
    const values: SqlValue[] = [bucket, from, after, limit + 1];
    const { results } = await database.prepare(
      "SELECT * FROM framework_objects WHERE bucket = ?1 AND key >= ?2 AND key > ?3 " +
        `${end === null ? "" : "AND key < ?5 "}ORDER BY key LIMIT ?4`,
    ).bind(...values, ...(end === null ? [] : [end])).all<FileRow>();
    let isGroup = false;
    for (const row of results) {
      if (objects.length + prefixes.length === limit) {
        return page({ truncated: true, cursor: toCursor([from, after]) });
      }
      const at = delimiter ? row.key.indexOf(delimiter, prefix.length) : -1;
      isGroup = at !== -1;
      if (isGroup) {
        const group = row.key.slice(0, at + delimiter!.length);
        prefixes.push(group);
        // The rest of the group is passed over by the next statement.
        const next = firstBehind(group);
        if (next === null) return page({ truncated: false });
        from = next;
        break;
      }
      objects.push(toFile(row, shown));
      after = row.key;
    }
    if (!isGroup && results.length <= limit) return page({ truncated: false });
  }
}

/** Of two texts the one behind the other, in the order of their bytes. */
function furthest(one: string, other: string): string {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0 ? other : one;
}

function toCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

function readCursor(cursor: string): Place {
  try {
    const [from, after] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (typeof from === "string" && typeof after === "string") return [from, after];
  } catch {
    // Refused below.
  }
  throw new Error("list: The cursor is none that list() has given.");
}
