import assert from "node:assert/strict";
import { allSources } from "./docs_addresses.ts";
import { indexParts, partsOf } from "./docs_search.ts";
import { findSections, type SearchPart } from "./docs_search_browser.ts";
import { findSources, readDocument, SEARCH_FILE } from "./docs_sources.ts";
import { renderMarkdown } from "./markdown.ts";
import { readWorkspace } from "./workspace.ts";

/** Sections of all documents, as the site has them. */
async function readParts(): Promise<SearchPart[]> {
  const sources = await findSources(await readWorkspace(), new Set());
  const parts: SearchPart[] = [];
  for (const source of allSources(sources)) {
    if (source.file === SEARCH_FILE) continue;
    parts.push(
      ...partsOf(source, renderMarkdown(source.text ?? await readDocument(source.file))),
    );
  }
  return parts;
}

const index = indexParts(await readParts());

/** Questions, and the sections that answer each in full. */
const QUESTIONS: Record<string, string[]> = {
  "How do I require two factors for owners?": ["docs/second_factor.html#require-it"],
  "Where are emails sent?": [
    "docs/passwords.html#mails-of-your-own",
    "docs/providers.html#by-email",
    "testing/index.html#mails-and-outgoing-calls",
  ],
  "How do I rotate AUTH_SECRET?": ["docs/deployment.html#rotating-the-secret"],
  "How do I end all sessions of a user?": ["docs/sessions.html#ending-sessions"],
  "How do I make somebody an administrator?": [
    "docs/administration.html#how-do-i-get-a-page-on-which-to-look-after-users",
    "docs/roles.html#the-first-owner",
  ],
  "How do I test a route that needs a signed-in user?": [
    "docs/testing.html#every-route-is-guarded",
    "docs/testing.html#visitors-and-users",
  ],
  "What does OAUTH_STATE_FOREIGN mean?": ["errors/OAUTH_STATE_FOREIGN.html#oauth_state_foreign"],
  "How do I run on Node?": [
    "docs/deployment.html#on-deno-and-node",
    "docs/node_and_deno.html#on-node",
  ],
  "How do I migrate from Auth.js?": ["docs/migrating_from_auth_js.html#from-authjs"],
  "How do I limit sign-in attempts?": ["docs/limits.html#limits"],
  ...Object.fromEntries(
    [
      "show the user's name in the header",
      "sign out everywhere",
      "test that a page is protected",
      "useSession",
      "sign out button",
      "redirect after sign in",
      "how long does a session last",
      "add a field to the session",
      "protect an API route",
      "NEXTAUTH_URL",
      "own sign-in page",
      "delete a user",
      "change email address",
      "email verification",
      "run code when a user signs up",
      "rate limit my API",
      "magic links",
      "invite somebody to an organization",
      "mobile app",
      "what happens when the database is down",
      "passwordless",
      "GDPR",
    ].map((asked) => [asked, [] as string[]]),
  ),
};

for (const [question, wanted] of Object.entries(QUESTIONS)) {
  Deno.test(`the search answers: ${question}`, () => {
    const found = findSections(index, question).slice(0, 5).map(({ id }) => String(id));
    // Without one, the short answer leads there.
    assert.ok(wanted.length === 0 || found.some((id) => wanted.includes(id)), found.join("\n"));
    assert.ok(found.some((id) => id.startsWith("docs/questions.html#")), found.join("\n"));
  });
}

Deno.test("the search finds words anywhere, and nothing for words that nobody wrote", () => {
  assert.match(String(findSections(index, "passkeys")[0]!.id), /passkey/);
  // As many spell it, and these documents do not.
  const spelled = ["Where are e", "mails sent?"].join("-");
  const [first, second] = findSections(index, spelled).map(({ id }) => String(id));
  assert.match(`${first} ${second}`, /questions/);
  assert.match(String(findSections(index, "webauthn")[0]!.id), /passkey/);
  assert.match(String(findSections(index, "2fa")[0]!.id), /second_factor|factor/);
  assert.deepEqual(findSections(index, "zzqxy"), []);
  assert.deepEqual(findSections(index, "how do I"), []);
  assert.deepEqual(findSections(index, ""), []);
});
