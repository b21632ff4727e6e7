import { Buffer } from "node:buffer";
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { parseEnv } from "node:util";
import { findPlatformFile } from "../config/wrangler_file.ts";
import { isDevVarsCommittable, setDevVar } from "../platform/secrets.ts";
import type { Command, CommandContext } from "../terminal/command.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";

/** Length of the secret in bytes, equal to the digest of the signatures that use it. */
const secretBytes = 32;

/** `framework secret [name]`. */
export const command: Command = {
  name: "secret",
  summary: "Generate a secret and write it to .dev.vars",
  positionals: [{
    name: "name",
    summary: "Name of the variable (default: AUTH_SECRET; with --webhook, WEBHOOK_SECRET)",
    completes: "none",
  }],
  options: {
    force: { type: "boolean", summary: "Replace an existing secret" },
    webhook: { type: "boolean", summary: "Make one that signs webhooks: whsec_…" },
    print: { type: "boolean", summary: "Print the secret instead of writing it" },
  },
  examples: [
    "framework secret",
    "framework secret --webhook",
    "framework secret --print | npx wrangler secret put AUTH_SECRET",
  ],
  run(ctx) {
    const isWebhook = ctx.values["webhook"] === true;
    const name = ctx.positionals[0] ?? (isWebhook ? "WEBHOOK_SECRET" : "AUTH_SECRET");
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name)) {
      throw new CliError(`${JSON.stringify(name)} cannot be used as the name of a variable.`, {
        hint: "Use letters, digits and underscores, for example AUTH_SECRET.",
      });
    }
    const bytes = Buffer.from(crypto.getRandomValues(new Uint8Array(secretBytes)));
    const secret = isWebhook ? `whsec_${bytes.toString("base64")}` : bytes.toString("hex");
    if (ctx.values["print"] === true) ctx.output.data(secret);
    else place(name, secret, ctx);
    return Promise.resolve(ExitCode.ok);
  },
};

function place(
  name: string,
  secret: string,
  { cwd, config, values, output }: CommandContext,
): void {
  const root = config === undefined ? cwd : dirname(resolve(cwd, config));
  if (!existsSync(findPlatformFile(root))) {
    throw new CliError(`The folder ${root} does not contain an application.`, {
      exitCode: ExitCode.config,
      hint: "Run the command in the folder that contains wrangler.jsonc, or use --print.",
    });
  }
  const file = join(root, ".dev.vars");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  if ((parseEnv(text)[name] ?? "") !== "" && values["force"] !== true) {
    throw new CliError(`${name} is already set in .dev.vars.`, {
      hint: "Replace it with --force; everything that was signed with it becomes invalid.",
    });
  }
  write(file, setDevVar(text, name, secret));
  output.success(`Wrote ${name} to .dev.vars (${secretBytes} random bytes)`);
  if (isDevVarsCommittable(root)) {
    output.warn("git does not ignore .dev.vars: add it to .gitignore before you commit.");
  }
  output.info(`For production, set a separate secret:`);
  const kind = values["webhook"] === true ? " --webhook" : "";
  output.info(`  framework secret${kind} --print | npx wrangler secret put ${name}`);
}

/** Writes the file atomically, readable by its owner only. */
function write(file: string, text: string): void {
  const target = existsSync(file) ? realpathSync(file) : file;
  const draft = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text, { flag: "wx", mode: 0o600 });
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new CliError(`.dev.vars could not be written: ${(error as Error).message}.`, {
      hint: "Check the folder's permissions and the free disk space.",
      cause: error,
    });
  }
}
