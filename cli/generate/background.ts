import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { bindingName, migratedClasses, objectAdditions } from "../build/background_check.ts";
import type { ProjectConfig } from "../config/load.ts";
import { CRON_FIELDS, impossibleCron } from "../platform/cron_expression.ts";
import { readPlatform } from "../platform/wrangler_file.ts";
import { CliError } from "../terminal/exit.ts";
import { displayPath } from "../tools/paths.ts";
import type { JsonValue } from "../tools/jsonc.ts";
import { appendToList, formatInline, type ListAddition } from "../tools/jsonc_edit.ts";
import { readWorkName, toPascal, wordsOf } from "./name.ts";
import type { PlannedFile } from "./plan.ts";
import { importPath, lines, singular } from "./source_text.ts";

/** Kind of a file that runs without a request. */
export type BackgroundType = "queue" | "cron" | "object";

interface Work {
  /** Path of the file, relative to the application's folder. */
  path: string[];
  source: string;
  test(paths: { file: string; testFile: string }): string;
  /** Entries of the platform file. */
  additions: ListAddition[];
}

/** Schedule of a new cron job: every day at 03:00 UTC. */
export const defaultSchedule = "0 3 * * *";

/**
 * Plans the files of a queue, a cron job or a durable object: its file, its test, and the platform file with the
 * entries that it requires.
 *
 * @param type What is wanted.
 * @param name What the user typed.
 * @param options The project; `schedule` is that of a cron job.
 * @throws {CliError} Exit code 1 for a name that cannot be used; 2 for a platform file that cannot be read.
 */
export async function planBackground(
  type: BackgroundType,
  name: string,
  options: { config: ProjectConfig; test: boolean; schedule: string },
): Promise<PlannedFile[]> {
  const { config, schedule, test } = options;
  const { root, appDir } = config;
  const work = type === "cron"
    ? cronWork(name, schedule)
    : type === "queue"
    ? queueWork(name)
    : await objectWork(name, config);
  const path = join(appDir, ...work.path);
  const testPath = join(root, "tests", ...work.path).replace(/\.ts$/, ".test.ts");
  const files: PlannedFile[] = [{ path, text: work.source, within: appDir }];
  if (test) {
    const paths = { file: displayPath(root, path), testFile: displayPath(root, testPath) };
    files.push({ path: testPath, text: work.test(paths), within: join(root, "tests") });
  }
  const platform = await planPlatform(config, work.additions);
  return platform === undefined ? files : [...files, platform];
}

/** Plans the platform file with further entries; undefined when it has them, or does not exist. */
async function planPlatform(
  config: ProjectConfig,
  additions: readonly ListAddition[],
): Promise<PlannedFile | undefined> {
  const { platformFile, root } = config;
  if (!existsSync(platformFile)) return undefined;
  const { raw } = await readPlatform(config);
  const before = readFileSync(platformFile, "utf8");
  let text = before;
  for (const addition of additions) {
    const list = addition.path.reduce<unknown>((at, key) => Object(at)[key], raw);
    if (Array.isArray(list) && list.some((item) => isSame(item, addition.item))) continue;
    const next = appendToList(text, addition);
    if (next === null) {
      throw new CliError(
        `${basename(platformFile)}: ${addition.path.join(".")} is not a list.`,
        { hint: "Correct it, then run the command again." },
      );
    }
    text = next;
  }
  return text === before ? undefined : { path: platformFile, text, within: root, edited: true };
}

/** Returns true for equal entries, and for two of the same queue, which may have further settings. */
function isSame(one: JsonValue, other: JsonValue): boolean {
  const { queue } = Object(one) as { queue?: unknown };
  if (queue !== undefined) return queue === (Object(other) as { queue?: unknown }).queue;
  return formatInline(one) === formatInline(other);
}

function queueWork(name: string): Work {
  const queue = readWorkName(name, "a queue's name", "mails");
  const words = wordsOf(queue);
  const message = `${toPascal([...words.slice(0, -1), singular(words.at(-1)!)])}Message`;
  return {
    path: ["queues", `${queue}.ts`],
    source: lines([
      'import type { QueueMessage } from "@framework/cli/runtime";',
      "",
      `/** Body of a message of the queue \`${queue}\`. */`,
      `export interface ${message} {`,
      "  id: string;",
      "}",
      "",
      "/** Handles messages. One that is retried is delivered again, a minute later. */",
      `export function queue(messages: readonly QueueMessage<${message}>[]): void {`,
      "  for (const message of messages) {",
      '    if (message.body.id === "") message.retry({ delaySeconds: 60 });',
      "    else message.ack();",
      "  }",
      "}",
    ]),
    // Through the application: the test stays right when the handler takes the environment or the context, too.
    test: () =>
      lines([
        'import { createTestContext } from "@framework/testing";',
        'import { expect, it } from "vitest";',
        "",
        `it("the queue ${queue} acknowledges what it has handled", async () => {`,
        "  await using ctx = await createTestContext();",
        `  const { outcome } = await ctx.queue("${queue}", [`,
        '    { id: "1", body: { id: "a" } },',
        '    { id: "2", body: { id: "" } },',
        "  ]);",
        '  expect(outcome).toEqual({ 1: "ack", 2: "retry" });',
        "});",
      ]),
    additions: [
      { path: ["queues", "consumers"], item: { queue } },
      { path: ["queues", "producers"], item: { binding: bindingName(queue), queue } },
    ],
  };
}

function cronWork(name: string, schedule: string): Work {
  const words = wordsOf(readWorkName(name, "a cron job's name", "nightly"));
  const stem = words.join("_").toLowerCase();
  const label = words.join(" ").toLowerCase();
  const isExpression = /^[\d*/,\-A-Za-z#?]+(?: [\d*/,\-A-Za-z#?]+){4}$/.test(schedule);
  const problem = isExpression ? impossibleCron(schedule) : "is not a cron expression";
  if (problem !== null) {
    throw new CliError(`--schedule: ${JSON.stringify(schedule)} ${problem}.`, {
      hint: CRON_FIELDS,
    });
  }
  return {
    path: ["cron", `${stem}.ts`],
    source: lines([
      'import type { ScheduledController } from "@framework/cli/runtime";',
      "",
      "/** Minute, hour, day of the month, month and day of the week, in UTC. */",
      `export const schedule = ${JSON.stringify(schedule)};`,
      "",
      `/** Runs the job "${label}". */`,
      "export function scheduled({ scheduledTime }: ScheduledController): void {",
      `  console.log(\`${label}: due at \${new Date(scheduledTime).toISOString()}\`);`,
      "}",
    ]),
    test: ({ file, testFile }) =>
      lines([
        'import { createTestContext } from "@framework/testing";',
        'import { expect, it } from "vitest";',
        `import { schedule } from "${importPath(testFile, file)}";`,
        "",
        `it("the job ${label} runs at its schedule", async () => {`,
        "  await using ctx = await createTestContext();",
        "  const event = { cron: schedule, scheduledTime: Date.UTC(2026, 0, 1, 3) };",
        "  expect(await ctx.scheduled(event)).toEqual({ noRetry: false });",
        "});",
      ]),
    additions: [{ path: ["triggers", "crons"], item: schedule }],
  };
}

async function objectWork(name: string, config: ProjectConfig): Promise<Work> {
  const words = wordsOf(readWorkName(name, "a durable object's name", "ChatRoom"));
  const className = toPascal(words);
  const { binding, additions } = await bindingFor(className, config);
  return {
    path: ["objects", `${words.join("_").toLowerCase()}.ts`],
    source: lines([
      'import { DurableObject } from "cloudflare:workers";',
      "",
      "/** A counter with its own storage, one for each name. */",
      `export class ${className} extends DurableObject {`,
      "  /** Counts up by one. */",
      "  async increment(): Promise<number> {",
      '    const count = (await this.ctx.storage.get<number>("count") ?? 0) + 1;',
      '    await this.ctx.storage.put("count", count);',
      "    return count;",
      "  }",
      "}",
    ]),
    test: () =>
      lines([
        'import type { Env } from "@framework/cli/runtime";',
        'import { createTestContext } from "@framework/testing";',
        'import { expect, it } from "vitest";',
        "",
        `it("${className} counts, each by its name", async () => {`,
        "  await using ctx = await createTestContext<Env>();",
        `  const one = ctx.env.${binding}.getByName("one");`,
        "  expect(await one.increment()).toBe(1);",
        "  expect(await one.increment()).toBe(2);",
        `  expect(await ctx.env.${binding}.getByName("other").increment()).toBe(1);`,
        "});",
      ]),
    additions,
  };
}

/** The name of a class's binding, and the entries that the platform file lacks for it. */
async function bindingFor(
  className: string,
  config: ProjectConfig,
): Promise<{ binding: string; additions: ListAddition[] }> {
  const usual = bindingName(className);
  if (!existsSync(config.platformFile)) return { binding: usual, additions: [] };
  const platform = await readPlatform(config);
  const bound = platform.durableObjects.find((binding) => binding.className === className);
  const isMigrated = migratedClasses(platform).has(className);
  const additions = objectAdditions(platform, {
    unbound: bound === undefined ? [className] : [],
    unmigrated: isMigrated ? [] : [className],
  });
  return { binding: bound?.name ?? usual, additions };
}
