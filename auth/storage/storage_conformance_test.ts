import { DatabaseSync } from "node:sqlite";
import { testRevocationStore, testStorage } from "@framework/testing/storage";
import { inMatrix, RACE_ROUNDS } from "../../tests/support/matrix.ts";
import { setRounds } from "../../testing/storage/race.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { overTrips } from "../tests/over_trips.ts";
import { createMemoryStorage } from "./memory.ts";
import { createMemoryRevocationStore, createSqlRevocationStore } from "./revocations.ts";
import { authSchema } from "./schema.ts";
import { createSqlStorage } from "./sql.ts";
import { sqlite } from "./sqlite.ts";

setRounds(RACE_ROUNDS);

/** A file in memory with the library's tables. */
function openFile(): DatabaseSync {
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  return file;
}

await testStorage("memory storage", {
  open: () => ({ storage: createMemoryStorage() }),
  isInProcess: true,
});
await testRevocationStore("memory storage", {
  open: () => ({ storage: createMemoryRevocationStore() }),
});

await testStorage("SQL storage over a double of D1", {
  open({ trip }) {
    const database = createD1Double();
    return {
      storage: createSqlStorage(overTrips(database, trip)),
      close: () => database.close(),
    };
  },
});
await testRevocationStore("SQL storage over a double of D1", {
  open() {
    const database = createD1Double();
    return { storage: createSqlRevocationStore(database), close: () => database.close() };
  },
});

// The double of D1 is a file of it, and handles_test.ts has what the driver itself does. In the matrix by its own handle, which
// answers within the call, and by one that is waited for.
if (inMatrix) {
  await testStorage("SQL storage over node:sqlite", {
    isInProcess: true,
    open() {
      const file = openFile();
      return { storage: createSqlStorage(sqlite(file)), close: () => file.close() };
    },
  });
  await testStorage("SQL storage over node:sqlite that is waited for", {
    open({ trip }) {
      const file = openFile();
      return {
        storage: createSqlStorage(overTrips(sqlite(file), trip)),
        close: () => file.close(),
      };
    },
  });
}
await testRevocationStore("SQL storage over node:sqlite", {
  open() {
    const file = openFile();
    return { storage: createSqlRevocationStore(sqlite(file)), close: () => file.close() };
  },
});
