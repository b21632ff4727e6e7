import { HeadersSentError } from "../errors/state_errors.ts";

/** The Set-Cookie lines of the response to come. */
export interface CookiesOut {
  /**
   * Adds a line. One with the same name, domain and path takes the place of an earlier one.
   *
   * @throws {HeadersSentError} When the headers have gone.
   */
  set(line: string): void;
  /**
   * Makes sure that a cookie can still be set, before work that makes sense only with it.
   *
   * @throws {HeadersSentError} When the headers have gone.
   */
  assertOpen(): void;
  /** Takes the lines; from then on the headers count as gone. */
  close(): string[];
}

/** What makes two lines speak of the same cookie. */
function identity(line: string): string {
  const name = line.slice(0, line.indexOf("="));
  const path = /; Path=([^;]*)/.exec(line)?.[1] ?? "";
  const domain = /; Domain=([^;]*)/.exec(line)?.[1] ?? "";
  return `${name};${domain};${path}`;
}

/** Makes the list for one request. */
export function createCookiesOut(): CookiesOut {
  // Most responses set none.
  let lines: Map<string, string> | undefined;
  let open = true;

  function assertOpen(): void {
    if (!open) throw new HeadersSentError();
  }

  return {
    assertOpen,
    set(line) {
      assertOpen();
      lines ??= new Map();
      lines.set(identity(line), line);
    },
    close() {
      open = false;
      return lines === undefined ? [] : [...lines.values()];
    },
  };
}
