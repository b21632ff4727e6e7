import assert from "node:assert/strict";
import type { SessionState, ValidSession } from "../types/session.ts";
import { mayKeep } from "./first_proof.ts";

function session(changes: Partial<ValidSession>, userId = "ada"): ValidSession {
  return {
    status: "valid",
    id: "s1",
    startedAt: 1,
    authenticatedAt: 1,
    session: { user: { id: userId }, expires: new Date(2) },
    token: "t",
    renewed: false,
    claims: null,
    hostOnly: true,
    ...changes,
  };
}

// Tracks: A-06
Deno.test("mayKeep() is true for the owner's own session alone, which nobody can have planted and which asked", () => {
  const asked = { userId: "ada", askedIn: "s1" };
  const rows: [string, SessionState, typeof asked | { userId: string; askedIn: null }, boolean][] =
    [
      ["all of it", session({}), asked, true],
      ["one that can be planted", session({ hostOnly: false }), asked, false],
      ["another session of the owner", session({ id: "s2" }), asked, false],
      ["somebody else's session of that name", session({}, "eve"), asked, false],
      ["a mail that no session asked for", session({}), { userId: "ada", askedIn: null }, false],
      ["another one's address", session({}), { userId: "eve", askedIn: "s1" }, false],
      ["no session", { status: "none" }, asked, false],
      ["a session that has ended", { status: "expired" }, asked, false],
      ["a token that opens nothing", { status: "invalid" }, asked, false],
    ];
  for (const [what, state, about, expected] of rows) {
    assert.equal(mayKeep(state, about), expected, what);
  }
});
