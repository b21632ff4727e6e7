import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { listFiles, repositoryRoot } from "../../scripts/workspace.ts";
import { documents } from "./markdown.ts";

/**
 * Patterns of code that decides by an address that may be unproved: a look at its text, a comparison with anything but
 * nothing, a look whether a list has it. `verifiedEmail(user)` gives one that may be decided by.
 */
const DECISIONS: readonly RegExp[] = [
  /\w*email\b[)!?]*\.(?:toLowerCase|toUpperCase|endsWith|startsWith|includes|indexOf|lastIndexOf|match|search|split|slice|substring|localeCompare)\b/i,
  /\w*email\b[)!]*\s*(?:===?|!==?)(?!=|\s*(?:null\b|undefined\b|""))/i,
  /(?:===?|!==?)\s*[\w.?!()]*email\b(?![(:])/i,
  /\bwhere\b.*\bemail\s*=(?!\s*excluded\b)/i,
  /\.(?:includes|has|test|indexOf)\(\s*[\w.?!]*email\b(?!\()/i,
];

function decisions(text: string): string[] {
  return text.split("\n").filter((line) => DECISIONS.some((decision) => decision.test(line)));
}

/** The examples that stand in the comments of a source file. */
function commentLines(text: string): string {
  return text.split("\n").filter((line) => /^\s*\*/.test(line)).join("\n");
}

async function filesOf(folder: string, extensions: RegExp): Promise<string[]> {
  const root = join(repositoryRoot, folder);
  return (await listFiles(root)).filter((file) => extensions.test(file))
    .map((file) => relative(repositoryRoot, join(root, file)));
}

async function read(file: string): Promise<string> {
  return await Deno.readTextFile(join(repositoryRoot, file));
}

Deno.test("what decides by an address that nobody proved is told from what does not", () => {
  const wrong = [
    'signIn: ({ user }) => user.email?.endsWith("@example.com") ?? false,',
    'if (user.email === "ada@example.com") return true;',
    'if (user!.email! != owner) return "";',
    "return admins.includes(user.email);",
    "return invited.has(email!);",
    "const [, domain] = userEmail.split('@');",
    "return owner.address == getUser().email;",
    "UPDATE users SET role = 'admin' WHERE email = 'you@example.com'",
  ];
  for (const line of wrong) assert.deepEqual(decisions(line), [line]);
  const right = [
    'return verifiedEmail(user)?.toLowerCase().endsWith("@example.com") ?? false;',
    'if (verifiedEmail(user) === "ada@example.com") return true;',
    "return admins.includes(verifiedEmail(user));",
    "const mail = old.email === null ? null : parseEmailAddress(old.email);",
    "SELECT id FROM users WHERE email_identity = ?1 AND email_verified IS NOT NULL",
    "const right = await verifyPassword(password!, passwords.get(email!) ?? null);",
  ];
  for (const line of right) assert.deepEqual(decisions(line), [], line);
});

// Tracks: A-12, SP-A2
Deno.test("no document, template or example decides by an address that nobody proved", async () => {
  const texts = new Map<string, string>();
  const whole = [
    ...await documents(),
    ...await filesOf("cli/templates/starter", /\.(?:tsx?|md|sql)$/),
    ...await filesOf("cli/generate", /\.ts$/),
  ];
  for (const file of whole) texts.set(file, await read(file));
  for (const folder of ["auth", "cli", "testing"]) {
    for (const file of await filesOf(folder, /\.tsx?$/)) {
      if (!texts.has(file)) texts.set(file, commentLines(await read(file)));
    }
  }
  assert.ok(texts.size > 400, String(texts.size));
  const found = [...texts].flatMap(([file, text]) =>
    decisions(text).map((line) => `${file}: ${line.trim()}`)
  );
  assert.deepEqual(found, []);
});
