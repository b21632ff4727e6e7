import { postgres } from "@framework/auth/postgres";
import process from "node:process";
import connect from "postgres";

// Batches of two rows, while all connections are ended again and again: of each both rows are there, or none.
const url = process.argv[3]!;
const sql = connect(url, { onnotice: () => {}, max: 4, backoff: () => 0.01, fetch_types: false });
const admin = connect(url, { onnotice: () => {}, max: 1 });
await admin.unsafe("DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE rows (pair INTEGER, half INTEGER)");
const database = postgres(sql);
const insert = database.prepare("INSERT INTO rows VALUES (?1, ?2)");
const slow = database.prepare("SELECT pg_sleep(0.002)");

const rounds = process.env.TEST_MATRIX === "true" ? 60 : 15;
const failures: string[] = [];
let done = 0;
let lost = 0;
async function work(worker: number): Promise<void> {
  for (let index = 0; index < rounds; index++) {
    const pair = worker * 1000 + index;
    try {
      await database.batch([insert.bind(pair, 1), slow, insert.bind(pair, 2)]);
      done++;
    } catch (error) {
      if ((error as { code?: unknown }).code === "STORAGE_UNAVAILABLE") lost++;
      else failures.push(String((error as Error).stack));
    }
  }
}
let isOver = false;
async function kill(): Promise<void> {
  while (!isOver) {
    await admin.unsafe(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const killing = kill();
await Promise.all([0, 1, 2, 3, 4, 5].map(work));
isOver = true;
await killing;
const halves = await admin.unsafe("SELECT pair FROM rows GROUP BY pair HAVING count(*) <> 2");
if (halves.length > 0) failures.push(`${halves.length} batches are there by half`);
if (lost === 0) failures.push("no connection was lost");
const [{ n }] = await admin.unsafe("SELECT count(DISTINCT pair) AS n FROM rows");
if (Number(n) < done) failures.push(`${done} batches were acknowledged, and ${n} are there`);
// It goes on by itself, once it has met the connections that were ended last.
for (let tries = 0;; tries++) {
  try {
    await database.batch([insert.bind(-1, 1), insert.bind(-1, 2)]);
    break;
  } catch (error) {
    if (tries === 10) throw error;
  }
}
await Promise.all([sql.end({ timeout: 1 }), admin.end({ timeout: 1 })]);
process.stdout.write(JSON.stringify({ passed: done + lost, failures, lost }));
