import assert from "node:assert/strict";
import { CliError, ExitCode } from "../terminal/exit.ts";
import type { Command, CommandContext, CommandRegistry } from "../terminal/command.ts";
import { dispatch } from "./dispatch.ts";

function makeRegistry(run: Command["run"]): CommandRegistry {
  const serve: Command = {
    name: "serve",
    summary: "Serve it",
    options: { port: { type: "integer", short: "p", default: 1, summary: "Port" } },
    run,
  };
  const up: Command = { name: "data up", summary: "Go up", options: {}, run };
  const commands = { up: { summary: up.summary, load: () => Promise.resolve(up) } };
  return {
    serve: { summary: serve.summary, load: () => Promise.resolve(serve) },
    data: {
      summary: "Data",
      load: () => Promise.resolve({ name: "data", summary: "Data", commands }),
    },
    broken: { summary: "Broken", load: () => Promise.reject(new Error("must not load")) },
  };
}

async function run(
  argv: readonly string[],
  options: {
    run?: Command["run"];
    versions?: Record<string, string>;
    signal?: AbortSignal;
  } = {},
) {
  let stdout = "";
  let stderr = "";
  const code = await dispatch(argv, {
    cwd: "/project",
    env: { A: "1" },
    stdout: { write: (part) => stdout += part },
    stderr: { write: (part) => stderr += part },
    signal: options.signal ?? new AbortController().signal,
    versions: options.versions ?? { node: "22.13.0" },
  }, makeRegistry(options.run ?? (() => Promise.resolve(0))));
  return { code, stdout, stderr };
}

Deno.test("dispatch() lets --cwd name the folder, which has to be there", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.mkdir(`${folder}/app`);
  const seen: string[] = [];
  const listen: Command["run"] = ({ cwd }) => {
    seen.push(cwd);
    return Promise.resolve(0);
  };
  await run(["serve", "--cwd", `${folder}/app`], { run: listen });
  await run(["--cwd", `${folder}/app/..`, "serve"], { run: listen });
  assert.deepEqual(seen, [`${folder}/app`, folder]);
  const { code, stderr } = await run(["serve", "--cwd", `${folder}/missing`], { run: listen });
  assert.equal(code, ExitCode.config);
  assert.match(stderr, /The folder .*missing of --cwd does not exist\./);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("dispatch() hands the command its context", async () => {
  let seen: CommandContext | undefined;
  const { code } = await run(["-c", "x.ts", "serve", "-p", "5", "--verbose"], {
    run: (ctx) => {
      seen = ctx;
      return Promise.resolve(7);
    },
  });
  assert.equal(code, 7);
  assert.equal(seen?.config, "x.ts");
  assert.equal(seen?.cwd, "/project");
  assert.equal(seen?.values["port"], 5);
  assert.equal(seen?.env["A"], "1");
  assert.equal(seen?.output.verbose, true);
});

Deno.test("dispatch() finds a command of a group, global options anywhere", async () => {
  let name = "";
  const record: Command["run"] = (ctx) => {
    name = String(ctx.config);
    return Promise.resolve(0);
  };
  assert.equal((await run(["data", "--config", "a.ts", "up"], { run: record })).code, 0);
  assert.equal(name, "a.ts");
});

Deno.test("dispatch() shows help without running, whatever else is wrong", async () => {
  let ran = false;
  const record: Command["run"] = () => {
    ran = true;
    return Promise.resolve(0);
  };
  for (
    const argv of [["serve", "--help"], ["-h", "serve"], ["help", "serve"], [
      "serve",
      "--bogus",
      "-h",
    ]]
  ) {
    const { code, stdout, stderr } = await run(argv, { run: record });
    assert.equal(code, 0);
    assert.match(stdout, /^Serve it\.\n\nUsage: framework serve \[options\]\n/);
    assert.equal(stderr, "");
  }
  assert.equal(ran, false);
});

Deno.test("dispatch() shows the overview without loading a command", async () => {
  for (const argv of [[], ["--help"], ["help"], ["help", "--help"]]) {
    const { code, stdout } = await run(argv);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /Usage: framework <command> \[options\]\n\nCommands:\n {2}serve {3}Serve it/,
    );
  }
});

Deno.test("dispatch() shows a group's help", async () => {
  for (const argv of [["data", "-h"], ["help", "data"]]) {
    const { code, stdout } = await run(argv);
    assert.equal(code, 0);
    assert.match(stdout, /^Data\.\n\nUsage: framework data <command> \[options\]\n/);
  }
});

Deno.test("dispatch() shows the version wherever it is asked for", async () => {
  for (const argv of [["-v"], ["--version"], ["serve", "-v"], ["data", "--version"]]) {
    const { code, stdout } = await run(argv);
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  }
});

Deno.test.each([
  [["sevre"], 'Unknown command "sevre". Did you mean "serve"?', "framework --help"],
  [["deploy"], 'Unknown command "deploy".', "framework --help"],
  [["toString"], 'Unknown command "toString".', "framework --help"],
  [["data", "pu"], 'Unknown command "data pu". Did you mean "data up"?', "framework data --help"],
  [["help", "nothing"], 'Unknown command "nothing".', "framework --help"],
  [["--bogus"], 'Unknown option "--bogus".', "framework --help"],
  [["--config"], "The option --config needs a value.", "framework --help"],
  [["data", "--bogus"], 'Unknown option "--bogus".', "framework data --help"],
])("dispatch(%o) is a usage error", async (argv, message, help) => {
  const { code, stdout, stderr } = await run(argv);
  assert.equal(code, ExitCode.failure);
  assert.equal(stdout, "");
  const [first, second] = stderr.split("\n");
  assert.equal(first, `error: ${message}`);
  assert.match(second ?? "", new RegExp(`^hint: Run \`${help}\``));
});

Deno.test("dispatch() asks for the command of a group", async () => {
  const { code, stderr } = await run(["data"]);
  assert.equal(code, 1);
  assert.equal(
    stderr,
    "error: The command `framework data` needs a subcommand.\nhint: Use one of: up.\n",
  );
});

Deno.test("dispatch() reports an expected failure in two lines", async () => {
  const fail = () =>
    Promise.reject(
      new CliError("It failed.", { exitCode: 3, hint: "Do this.", cause: new Error("inner") }),
    );
  const { code, stderr } = await run(["serve"], { run: fail });
  assert.equal(code, 3);
  assert.equal(stderr, "error: It failed.\nhint: Do this.\n");
  assert.match((await run(["serve", "--verbose"], { run: fail })).stderr, /Error: inner\n +at /);
});

Deno.test("dispatch() says which folder cannot be written", async () => {
  const fail = () =>
    Promise.reject(
      Object.assign(new Error("EROFS"), { code: "EROFS", syscall: "open", path: "/project/x" }),
    );
  const { code, stderr } = await run(["serve"], { run: fail });
  assert.equal(code, 1);
  assert.equal(
    stderr,
    "error: The folder /project cannot be written: it is read-only.\n" +
      "hint: Check the folder's permissions and the free disk space.\n",
  );
});

Deno.test("dispatch() shows the stack of an unexpected failure only when verbose", async () => {
  const fail = () => Promise.reject(new TypeError("bug"));
  const { code, stderr } = await run(["serve"], { run: fail });
  assert.equal(code, 1);
  assert.equal(stderr, "error: bug\nhint: Run again with --verbose to see the stack trace.\n");
  assert.match((await run(["--verbose", "serve"], { run: fail })).stderr, /TypeError: bug\n +at /);
});

// Tracks: PF-y02
Deno.test("dispatch() is 130 when interrupted, whatever the command returns", async () => {
  for (const own of [0, 1, 7]) {
    const controller = new AbortController();
    const { code, stderr } = await run(["serve"], {
      run: () => {
        controller.abort();
        return Promise.resolve(own);
      },
      signal: controller.signal,
    });
    assert.deepEqual([code, stderr], [130, ""]);
  }
});

Deno.test("dispatch() is 130 when interrupted, without an error message", async () => {
  const interruption = new AbortController();
  const interrupted: Command["run"] = () => {
    interruption.abort();
    return Promise.reject(new Error("aborted"));
  };
  const { code, stderr } = await run(["serve"], {
    run: interrupted,
    signal: interruption.signal,
  });
  assert.equal(code, ExitCode.interrupted);
  assert.equal(stderr, "");
});

Deno.test("dispatch() refuses an old Node before anything else and names both ways out", async () => {
  for (const argv of [["broken"], ["--help"], ["serve"]]) {
    const { code, stderr } = await run(argv, { versions: { node: "20.20.2" } });
    assert.equal(code, ExitCode.config);
    assert.equal(
      stderr,
      "error: framework needs Node 22.13 or newer, or Deno; this is Node 20.20.2.\n" +
        "hint: Install Node 22.13 or newer, or run `npx -y deno@2.9.6 run -A npm:@framework/cli` " +
        "in place of `framework`.\n",
    );
  }
});

Deno.test("dispatch() reports a failure as JSON on stdout too when JSON was asked for", async () => {
  const list: Command = {
    name: "list",
    summary: "List",
    options: { json: { type: "boolean", summary: "JSON" } },
    run: () => Promise.reject(new CliError("It failed.", { exitCode: ExitCode.config })),
  };
  const registry = { list: { summary: list.summary, load: () => Promise.resolve(list) } };
  async function runList(...argv: string[]): Promise<[number, string, string]> {
    let stdout = "";
    let stderr = "";
    const code = await dispatch(["list", ...argv], {
      cwd: "/",
      env: {},
      stdout: { write: (part) => stdout += part },
      stderr: { write: (part) => stderr += part },
      signal: new AbortController().signal,
      versions: { node: "22.13.0" },
    }, registry);
    return [code, stdout, stderr];
  }
  const failure = '{"error":{"code":"config","message":"It failed."}}\n';
  assert.deepEqual(await runList("--json"), [2, failure, "error: It failed.\n"]);
  assert.deepEqual(await runList(), [2, "", "error: It failed.\n"]);
  const [code, stdout] = await runList("--json", "--nope");
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout).error.message, 'Unknown option "--nope".');
});
