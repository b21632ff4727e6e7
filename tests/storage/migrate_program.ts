// A process that migrates: SQLite by a file, or PostgreSQL by a URL. With a number it kills itself before the statement
// of that number, as a kill -9 from outside would at that moment.
import { createAuth } from "@framework/auth";
import { postgres } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";

const [place, count] = process.argv.slice(2);
let left = count === undefined ? Infinity : Number(count);

/** Counts a statement, and ends the process where the count is over. */
function step(): void {
  if (left-- === 0) process.kill(process.pid, "SIGKILL");
}

/** The handle, whose methods count. */
function counting<Handle extends object>(handle: Handle, methods: string[]): Handle {
  return new Proxy(handle, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (methods.includes(String(name))) step();
        const made = value.apply(target, given);
        return name === "prepare" ? counting(made, ["all", "get", "run"]) : made;
      };
    },
  });
}

if (place!.startsWith("postgres:")) {
  const client = new pg.Client(place);
  await client.connect();
  const auth = createAuth({ database: postgres(counting(client, ["query"])) });
  process.stdout.write(`${JSON.stringify(await auth.migrate())}\n`);
  await client.end();
} else {
  const file = new DatabaseSync(place!);
  const auth = createAuth({ database: sqlite(counting(file, ["exec"])) });
  process.stdout.write(`${JSON.stringify(await auth.migrate())}\n`);
  file.close();
}
// What says that nothing was left to kill.
process.stdout.write(left === Infinity || left < 0 ? "done" : `done before ${count}`);
