import { type ManifestRoute, routeMethods } from "./manifest.ts";

/** The methods that the `action` of a page answers. */
export const actionMethods: readonly string[] = ["POST", "PUT", "PATCH", "DELETE"];

/** The methods that a page or route answers, in the order of the `Allow` header. */
export function allowedMethods(
  { kind, module }: { kind: string; module: ManifestRoute["module"] },
): string[] {
  if (kind === "page") {
    return ["GET", "HEAD", ...(module["action"] ? actionMethods : []), "OPTIONS"];
  }
  return routeMethods.filter((method) =>
    module[method] !== undefined || method === "OPTIONS" ||
    (method === "HEAD" && module["GET"] !== undefined)
  );
}

/** Whether a method may change something (RFC 9110, section 9.2.1). */
export function isUnsafe(method: string): boolean {
  return !["GET", "HEAD", "OPTIONS", "TRACE"].includes(method);
}

/** Whether a request may change something, or opens a WebSocket, which a page of any site can do and read from. */
export function needsSameOrigin({ method, headers }: Request): boolean {
  return isUnsafe(method) || headers.get("upgrade")?.toLowerCase() === "websocket";
}
