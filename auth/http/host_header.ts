import { RequestError } from "../errors/request_errors.ts";

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Refuses a Host header that is more than a name and a port, where the address of a request is made from it: servers
 * join it with the path, so that "localhost/admin?" would take the path's place.
 *
 * @throws {RequestError} 400.
 */
export function assertHostHeader({ headers }: Request): void {
  const host = headers.get("host");
  if (host === null || (HOST.test(host) && URL.canParse(`http://${host}`))) return;
  throw new RequestError("The Host header is not the name of a host");
}
