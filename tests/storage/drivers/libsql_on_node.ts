import { createClient } from "@libsql/client";
import process from "node:process";
import { SUITES } from "../../../auth/tests/conformance_worker.ts";
import { libsqlDatabase } from "./libsql.ts";

// A program for Node: runs every case of the SQL storages on a file of its own, and prints what failed.

const [folder] = process.argv.slice(2);
const failures: string[] = [];
let passed = 0;
for (const cases of [SUITES.storage, SUITES.tenants]) {
  for (const [name, run] of Object.entries(cases)) {
    const client = createClient({ url: `file:${folder}/${passed + failures.length}.db` });
    try {
      await client.execute("PRAGMA foreign_keys = ON");
      await run(libsqlDatabase(client) as Parameters<typeof run>[0]);
      passed++;
    } catch (error) {
      failures.push(`${name}: ${(error as Error).stack}`);
    } finally {
      client.close();
    }
  }
}
process.stdout.write(JSON.stringify({ passed, failures }));
