import { env } from "cloudflare:workers";

export interface Env {
  GREETING: string;
  NOTES: D1Database;
  CACHE: KVNamespace;
  FILES: R2Bucket;
  MAILS: Queue;
  COUNTER: DurableObjectNamespace;
}

// Read when the module is loaded, as a query builder or an authentication at module level does.
const database = env.NOTES;

export async function listNotes(): Promise<string[]> {
  const { results } = await database.prepare("SELECT text FROM notes ORDER BY id").all();
  return results.map(({ text }: { text: string }) => text);
}

export async function addNote(text: string): Promise<void> {
  await database.prepare("INSERT INTO notes (text, at) VALUES (?, ?)").bind(text, Date.now()).run();
}
