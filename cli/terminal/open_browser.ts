import { spawn } from "node:child_process";
import process from "node:process";

/**
 * Opens an address in the user's browser: the program that `BROWSER` names, else the system's own choice.
 *
 * @param url The address; one that this program made.
 * @param env Environment variables. `BROWSER=none` opens nothing.
 * @returns Why it could not be opened; undefined when it was, or was not wanted.
 */
export function openBrowser(
  url: string,
  env: Record<string, string | undefined>,
): Promise<string | undefined> {
  const browser = env["BROWSER"];
  if (browser === "none") return Promise.resolve(undefined);
  const [command, args] = browser ? [browser, [url]] as const : systemBrowser(url);
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: "ignore", detached: true });
    child.once("error", (error) => resolve(error.message));
    child.once("spawn", () => {
      child.unref();
      resolve(undefined);
    });
  });
}

function systemBrowser(url: string): readonly [string, string[]] {
  if (process.platform === "darwin") return ["open", [url]];
  if (process.platform === "win32") return ["explorer.exe", [url]];
  return ["xdg-open", [url]];
}
