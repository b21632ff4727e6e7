// A worker whose default export is a class, with methods beside its handlers.
import { WorkerEntrypoint } from "cloudflare:workers";

export default class Main extends WorkerEntrypoint {
  override fetch(): Response {
    return new Response("main");
  }
  sum(...numbers: number[]): number {
    return numbers.reduce((sum, each) => sum + each, 0);
  }
}
