import { HeadersSentError } from "../errors/state_errors.ts";

/** The Set-Cookie lines of the response to come. */
export interface CookiesOut {
  /** Whether the headers have not gone yet. */
  readonly isOpen: boolean;
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

/** What makes two lines speak of the same cookie: the attributes of all stand in the same order. */
function identity(line: string): string {
  return `${line.split("=", 1)}${line.match(/; (?:Path|Domain)=[^;]*/g)}`;
}

class CookieLines implements CookiesOut {
  // Most responses set none.
  #lines: Map<string, string> | undefined;
  isOpen = true;

  assertOpen(): void {
    if (!this.isOpen) throw new HeadersSentError();
  }

  set(line: string): void {
    this.assertOpen();
    this.#lines ??= new Map();
    this.#lines.set(identity(line), line);
  }

  close(): string[] {
    this.isOpen = false;
    return this.#lines === undefined ? [] : [...this.#lines.values()];
  }
}

/** Makes the list for one request. */
export function createCookiesOut(): CookiesOut {
  return new CookieLines();
}
