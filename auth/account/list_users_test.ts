import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createAuth } from "../app/create_auth.ts";
import { ConfigurationError, RequestError } from "../errors.ts";
import { authSchema } from "../storage/schema.ts";
import { sqlite } from "../storage/sqlite.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createUser, disableUser } from "../session/users.ts";
import { listUsers, type ListUsersOptions, type UserList } from "./list_users.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import type { Storage } from "../storage/storage.ts";

async function inRequest(
  database: SqlDatabase | Storage,
  work: () => Promise<void>,
): Promise<void> {
  const auth = createAuth({ database });
  const response = await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
    await work();
    return new Response();
  });
  // It answers errors of the library that the work throws.
  assert.equal(response.status, 200, await response.text());
}

function openSqlite(): SqlDatabase {
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  return sqlite(file);
}

/** All pages of a list, as ids. */
async function pagesOf(options: ListUsersOptions): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | null = null;
  do {
    const list: UserList = await listUsers({ ...options, after });
    pages.push(list.users.map(({ user }) => user.id));
    after = list.after;
  } while (after !== null && pages.length < 50);
  return pages;
}

for (
  const [name, open] of [["memory", createMemoryStorage], ["SQLite", openSqlite]] as const
) {
  // Tracks: R186
  Deno.test(`listUsers() over ${name} finds everybody once, page by page, and ends with a full one`, () =>
    inRequest(open(), async () => {
      for (let index = 0; index < 7; index++) {
        await createUser({
          id: `u${index}`,
          // Found by address and by name alike.
          email: `ada${index}@example.com`,
          name: index % 2 === 0 ? `Ada ${index}` : "Bob",
          roles: index < 3 ? ["admin"] : [],
        });
      }
      await disableUser("u3");
      assert.deepEqual((await pagesOf({ limit: 7 })).map((page) => page.length), [7]);
      for (
        const [options, wanted] of [
          [{}, ["u0", "u1", "u2", "u3", "u4", "u5", "u6"]],
          [{ search: "ADA" }, ["u0", "u1", "u2", "u3", "u4", "u5", "u6"]],
          [{ search: "bob" }, ["u1", "u3", "u5"]],
          [{ search: "bob", role: "admin" }, ["u1"]],
          [{ search: "ada2@EXAMPLE.com" }, ["u2"]],
          [{ search: "u4" }, ["u4"]],
          [{ search: "u4", role: "admin" }, []],
          [{ search: " ada 4 " }, ["u4"]],
          [{ search: "da" }, []],
          [{ role: "admin" }, ["u0", "u1", "u2"]],
          [{ role: "nobody" }, []],
        ] as const
      ) {
        for (const limit of [1, 2, 3, 100]) {
          const pages = await pagesOf({ ...options, limit });
          assert.deepEqual(pages.flat().sort(), [...wanted], JSON.stringify({ options, limit }));
          assert.ok(pages.length === 1 || pages.at(-1)!.length > 0, JSON.stringify(pages));
        }
      }
      const [shut] = (await listUsers({ search: "u3" })).users;
      assert.ok(shut!.disabledAt instanceof Date && shut!.createdAt instanceof Date);
    }));
}

Deno.test("listUsers() puts an exact id first, and finds names in letters beyond A to Z in either case", () =>
  inRequest(openSqlite(), async () => {
    await createUser({ id: "ö1", name: "Özil Demir" });
    await createUser({ id: "özil", name: "Zoe" });
    for (const search of ["özil", "ÖZIL", "Özil"]) {
      const found = (await listUsers({ search })).users.map(({ user }) => user.id);
      assert.deepEqual(found, search === "özil" ? ["özil", "ö1"] : ["ö1"]);
    }
  }));

Deno.test("listUsers() ends a page after so many reads, and the next one goes on", () =>
  inRequest(openSqlite(), async () => {
    for (let index = 0; index < 60; index++) {
      await createUser({
        id: `u${String(index).padStart(2, "0")}`,
        name: "Ada",
        roles: index === 59 ? ["admin"] : [],
      });
    }
    const pages = await pagesOf({ search: "ada", role: "admin", limit: 1 });
    assert.deepEqual(pages.flat(), ["u59"]);
    assert.ok(pages.length > 1);
  }));

// Tracks: R186
Deno.test("listUsers() refuses a place or a search that no list has, and wrong options", () =>
  inRequest(openSqlite(), async () => {
    const written = (place: unknown) => btoa(JSON.stringify(place)).replaceAll("=", "");
    for (
      const after of ["", "%", "bm90", written({}), written([0]) + "=", written([9, 1, "a"])]
        .concat(
          [[0, "1", "a"], [0, 1], [0, 1, 2], [0, 1, "a", "b"], [-1], [0.5]].map(written),
        )
    ) {
      await assert.rejects(listUsers({ after }), RequestError, after);
    }
    await assert.rejects(listUsers({ search: "a\0b" }), RequestError);
    await assert.rejects(listUsers({ search: "a".repeat(300) }), RequestError);
    for (const limit of [0, 101, 1.5, NaN]) {
      await assert.rejects(listUsers({ limit }), ConfigurationError);
    }
    await assert.rejects(listUsers({ find: "a" } as never), ConfigurationError);
  }));
