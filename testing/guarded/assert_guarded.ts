import { beginAtCallers } from "../errors.ts";
import { AssertionError } from "node:assert";
import type { TestContext } from "../context/types.ts";
import { askRoutes } from "./ask_routes.ts";
import type { GuardedOptions, GuardedReport } from "./options.ts";
import { openContext, openGiven } from "./people.ts";
import { writeReport } from "./report.ts";
import type { GuardedApplication } from "./subject.ts";

/**
 * Asks every route and method of an application as those whom it must refuse: as a visitor, as a user without rights, as
 * another tenant's user, from another site, and with ids that belong to somebody else; also by `HEAD`, by an overridden
 * method, ahead of a visit (`Sec-Purpose`) and to open a WebSocket. Refused means 401, 403, 404 or a redirect to the
 * sign-in page, and nothing is changed: rows, entries, objects, messages, mails and outgoing calls are compared.
 *
 * Each request has a copy of all data of its own. A route counts as asked only when the same request succeeds for its
 * owner.
 *
 * @param subject Context of a user who may use all routes; or an application that can be opened again and again.
 * @param options See {@linkcode GuardedOptions}.
 * @throws {AssertionError} For routes that are not guarded, or that could not be asked: the message lists each with the
 * request to repeat.
 * @throws {TestingError} `UNKNOWN_ROUTE` for an option that names no route, `OPTIONS` for options that do not go
 * together, `RUNTIME` for a context whose data cannot be copied.
 * @example An application of any framework, here with one route that forgot its guard
 * ```ts
 * import { assertGuarded } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * const open = () => {
 *   const notes = new Map([["1", "milk"]]);
 *   return {
 *     state: () => ({ notes: [...notes] }),
 *     fetch(request: Request): Response {
 *       const id = new URL(request.url).pathname.slice("/notes/".length);
 *       if (request.method === "DELETE") notes.delete(id);
 *       const isAda = request.headers.get("authorization") === "Bearer ada";
 *       return isAda ? new Response(notes.get(id) ?? null) : new Response(null, { status: 401 });
 *     },
 *   };
 * };
 *
 * const options = { params: { id: "1" }, owner: { authorization: "Bearer ada" }, user: {} };
 * await assertGuarded({ open }, { ...options, routes: ["GET /notes/:id"] });
 * await assert.rejects(
 *   assertGuarded({ open }, { ...options, routes: ["DELETE /notes/:id"] }),
 *   /a visitor got 401, but changed notes: 1 row removed/,
 * );
 * ```
 */
export async function assertGuarded(
  subject: TestContext<unknown> | GuardedApplication,
  options: GuardedOptions = {},
): Promise<GuardedReport> {
  const people = "open" in subject
    ? openGiven(subject, options)
    : await openContext(subject, options);
  const { findings, ...report } = await askRoutes(people, options);
  if (findings.length === 0) return report;
  throw new AssertionError({ message: writeReport(findings, report) });
}

beginAtCallers(assertGuarded);
