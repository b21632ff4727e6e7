import { spawn } from "node:child_process";
import process from "node:process";
import type { Keyboard } from "../terminal/keyboard.ts";

/** Actions of the keys. */
export interface KeyActions {
  open(): void;
  restart(): void;
  help(): void;
  /** `interrupted` is true for ^C. */
  quit(interrupted: boolean): void;
}

/**
 * Listens for single keys.
 *
 * @param keyboard The terminal's keyboard.
 * @param actions What they do.
 * @returns Gives the keyboard back to the terminal.
 */
export function listenToKeys(keyboard: Keyboard, actions: KeyActions): () => void {
  const keys: Record<string, () => void> = {
    o: () => actions.open(),
    r: () => actions.restart(),
    h: () => actions.help(),
    q: () => actions.quit(false),
    // In raw mode the terminal sends ^C and ^D as characters.
    "\x03": () => actions.quit(true),
    "\x04": () => actions.quit(false),
  };
  function press(data: Uint8Array | string): void {
    for (const key of new TextDecoder().decode(toBytes(data)).toLowerCase()) keys[key]?.();
  }
  keyboard.setRawMode(true);
  keyboard.on("data", press);
  keyboard.resume();
  return () => {
    keyboard.off("data", press);
    keyboard.setRawMode(false);
    keyboard.pause();
  };
}

function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}

/**
 * Opens an address in the user's browser: the program named by `BROWSER`, otherwise the system's
 * default.
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
