import { createMemoryStorage, jwtSessions } from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { sqlite as sqliteDatabase } from "@framework/auth/sqlite";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { libraryCheck, libraryRequest, SECRET, signedIn, visitorCheck } from "./applications.ts";
import { jwtByHand, sqliteByHand } from "./by_hand.ts";
import { runRounds } from "./rounds.ts";

// One program for Deno and Node.

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const HOW_MUCH = { rounds: 150, jobs: 1000, clock: cpuTime };

const file = new DatabaseSync(":memory:");
file.exec(authSchema.up);
const kept = await signedIn({ database: sqliteDatabase(file) });
const sqlite = await runRounds([
  ...sqliteByHand(file, kept.request),
  libraryCheck(kept.auth, kept.request),
  libraryRequest(kept.auth, kept.request),
  visitorCheck(kept.auth),
], HOW_MUCH);

const carried = await signedIn({
  database: createMemoryStorage(),
  secret: SECRET,
  session: { strategy: jwtSessions },
});
const jwt = await runRounds([
  ...await jwtByHand(),
  libraryCheck(carried.auth, carried.request),
  libraryRequest(carried.auth, carried.request),
  visitorCheck(carried.auth),
], HOW_MUCH);

process.stdout.write(JSON.stringify({ sqlite, jwt }));
