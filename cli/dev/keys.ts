import type { Keyboard } from "../terminal/keyboard.ts";

/** What the keys do. */
export interface KeyActions {
  open(): void;
  restart(): void;
  help(): void;
  /** `interrupted` is true for ^C. */
  quit(interrupted: boolean): void;
}

/**
 * Listens to single keys.
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
