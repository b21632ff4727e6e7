import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { TextLineStream } from "../../tests/support/text_line_stream.ts";

/** A worker of the process: the same modules with bindings of its own. */
export interface WorkerService {
  name: string;
  /** Texts that the worker finds in its environment. */
  bindings: Record<string, string>;
}

/** A workerd that listens on ports of the loopback address. */
export interface WorkerdProcess {
  pid: number;
  /** Origin of each service, by name. */
  origins: Map<string, string>;
  /** Ends the process and waits for its end. */
  stop(): Promise<void>;
}

/** The newest date that the pinned workerd takes, of the tests' platform. */
const COMPATIBILITY_DATE = "2026-07-30";

/** Path of the runtime itself, without the JavaScript that npm starts it by. */
function findWorkerd(): string {
  const miniflare = createRequire(fileURLToPath(import.meta.resolve("miniflare")));
  return (miniflare("workerd") as { default: string }).default;
}

function configText(files: readonly string[], services: readonly WorkerService[]): string {
  const modules = files.map((file) => `(name = "${file}", esModule = embed "${file}")`);
  const quoted = (text: string) => JSON.stringify(text);
  const workers = services.map(({ name, bindings }) => {
    const list = Object.entries(bindings).map(([key, value]) => {
      return `(name = ${quoted(key)}, text = ${quoted(value)})`;
    });
    return `(name = ${quoted(name)}, worker = (
      modules = [${modules.join(", ")}],
      compatibilityDate = "${COMPATIBILITY_DATE}",
      compatibilityFlags = ["nodejs_compat"],
      bindings = [${list.join(", ")}]))`;
  });
  const sockets = services.map(({ name }) => {
    return `(name = ${quoted(name)}, address = "127.0.0.1:0", http = (), service = ${
      quoted(name)
    })`;
  });
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [${workers.join(",\n")}],
  sockets = [${sockets.join(",\n")}],
);
`;
}

/**
 * Starts workerd, without anything of a development server around it, and waits until all services listen.
 *
 * @param folder Where the modules are; the configuration is written into it.
 * @param files Names of the modules, the one with the handler first.
 */
export async function startWorkerd(
  folder: string,
  files: readonly string[],
  services: readonly WorkerService[],
): Promise<WorkerdProcess> {
  const config = `${folder}/config-${crypto.randomUUID()}.capnp`;
  await Deno.writeTextFile(config, configText(files, services));
  const child = new Deno.Command(findWorkerd(), {
    args: ["serve", "--control-fd=1", config],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let said = "";
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({ write: (text) => void (said = (said + text).slice(-4000)) }),
  );
  const origins = new Map<string, string>();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())
    .getReader();
  while (origins.size < services.length) {
    const { value, done } = await lines.read();
    if (done) {
      await errors;
      throw new Error(`workerd did not start:\n${said}`);
    }
    const { event, socket, port } = JSON.parse(value);
    if (event === "listen") origins.set(socket, `http://127.0.0.1:${port}`);
  }
  return {
    pid: child.pid,
    origins,
    async stop() {
      child.kill("SIGKILL");
      await Promise.all([lines.cancel(), errors, child.status]);
      await Deno.remove(config);
    },
  };
}
