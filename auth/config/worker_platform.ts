/** True on workerd, where a request reaches a worker only under a host that was routed to it. */
export function isWorkerPlatform(): boolean {
  return typeof navigator === "object" && navigator.userAgent === "Cloudflare-Workers";
}
