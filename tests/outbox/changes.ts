// A process that changes users and sessions as fast as it can, until it is killed: its argument is a file of SQLite.
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import {
  createAuth,
  createUser,
  deleteUser,
  disableUser,
  endSessions,
  outbox,
  startSession,
} from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";

const [path] = Deno.args;
const auth = createAuth({
  database: sqlite(new DatabaseSync(path!)),
  secret: "a secret of at least thirty-two bytes",
  cookies: { sessionToken: { hostOnly: true } },
  providers: [outbox({ destinations: [{ id: "parent", deliver: () => Promise.resolve() }] })],
  logger: {
    info() {},
    warn() {},
    error: (event) => void process.stderr.write(`Error: ${event}\n`),
  },
});
await auth.migrate();
process.stdout.write("begun\n");

async function change(n: number): Promise<void> {
  const request = new Request("http://localhost/", { method: "POST" });
  await auth.run(request, {}, {}, async () => {
    const { id } = await createUser({});
    await startSession(id);
    if (n % 3 === 0) await endSessions(id);
    if (n % 4 === 0) await disableUser(id);
    if (n % 5 === 0) await deleteUser(id);
    return new Response();
  });
}

for (let n = 0;; n += 4) await Promise.all([0, 1, 2, 3].map((more) => change(n + more)));
