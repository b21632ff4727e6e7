import { nodeAuth } from "@framework/auth/node";
import { sqlite } from "@framework/auth/sqlite";
import { createServer } from "node:http";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { cheapHasher } from "../../auth/tests/password_application.ts";
import { createGuessed } from "./guessed.ts";

const { BASE_URL, LIMITED, CHEAP } = process.env;
const { auth, prepare } = createGuessed(sqlite(new DatabaseSync(":memory:")), {
  baseUrl: BASE_URL!,
  limited: LIMITED === "true",
  ...CHEAP === "true" && { hasher: cheapHasher() },
});
await prepare();
const server = createServer(nodeAuth(auth, (_request, response) => void response.end("Home")));
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`listening on ${(server.address() as { port: number }).port}.\n`);
});
