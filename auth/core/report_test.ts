import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { defineAuthEvents, readEvents } from "../app/define.ts";
import type { AuthEvent, AuthEvents } from "../types/events.ts";
import { createReport } from "./report.ts";

function setUp(events: AuthEvents) {
  const log: unknown[][] = [];
  const background: Promise<unknown>[] = [];
  const line = (level: string) => (...fields: unknown[]) => void log.push([level, ...fields]);
  const report = createReport({
    settings: {
      events: readEvents(events),
      logger: { info: line("info"), warn: line("warn"), error: line("error") },
      now: () => 5,
    },
    requestId: () => "r1",
    address: () => "192.0.2.1",
    waitUntil: (work) => void background.push(work),
  });
  return { report, log, background };
}

// Tracks: R152
Deno.test("createReport() logs the event and tells its listener, and the one for everything", async () => {
  const heard: [string, AuthEvent][] = [];
  const { report, log, background } = setUp({
    "sign-in": (event) => heard.push(["sign-in", event]),
    "sign-out": (event) => heard.push(["sign-out", event]),
    "*": (event) => heard.push(["*", event]),
  });
  report({ type: "sign-in", userId: "ada", provider: "pin" });
  await Promise.all(background);
  const fields = { userId: "ada", provider: "pin", requestId: "r1", address: "192.0.2.1" };
  const event = { type: "sign-in", ...fields, at: new Date(5) };
  assert.deepEqual(heard, [["sign-in", event], ["*", event]]);
  assert.deepEqual(log, [["info", "sign-in", fields]]);
  assert.ok(Object.isFrozen(heard[0]![1]));
});

Deno.test("createReport() neither throws nor waits, whatever a listener does, and logs what failed", async () => {
  const failure = new Error("a defect");
  const { report, log, background } = setUp({
    "sign-up": () => {
      throw failure;
    },
    "sign-out": () => Promise.reject(failure),
    "sign-in": () => new Promise(() => {}),
    "*": () => {
      throw failure;
    },
  });
  report({ type: "sign-up", userId: "ada" });
  report({ type: "sign-out", userId: "ada" });
  report({ type: "sign-in", userId: "ada" });
  const hanging = background.splice(4, 1);
  await Promise.all(background);
  assert.equal(await Promise.race([hanging[0], Promise.resolve("still waiting")]), "still waiting");
  const failed = log.filter(([, event]) => event === "event-listener-failed");
  assert.equal(failed.length, 5);
  for (const [level, , fields] of failed) {
    assert.equal(level, "error");
    assert.equal((fields as { error: unknown }).error, failure);
  }
});

// Tracks: R153
Deno.test("defineAuthEvents() takes a listener to every event that there is", async () => {
  const source = await Deno.readTextFile(new URL("../types/events.ts", import.meta.url));
  const types = [...source.matchAll(/^ {2}type: "([^"]+)";$/gm)].map(([, type]) => type!);
  assert.ok(types.length > 20, String(types.length));
  for (const type of ["*", ...types]) {
    assert.doesNotThrow(() => defineAuthEvents({ [type]: () => {} }), type);
  }
});

Deno.test("defineAuthEvents() throws a ConfigurationError for what is no listener", () => {
  const wrong: [unknown, RegExp][] = [
    [5, /"events": found 5/],
    [{ "signin": () => {} }, /Unknown option "events\.signin".*Did you mean "sign-in"/],
    [{ "sign-in": "log" }, /"events\.sign-in": found "log"; write a function/],
  ];
  for (const [given, message] of wrong) {
    assert.throws(() => defineAuthEvents(given as AuthEvents), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, message);
      return true;
    });
  }
  const later = () => 5 as AuthEvents;
  assert.equal(defineAuthEvents(later), later);
});
