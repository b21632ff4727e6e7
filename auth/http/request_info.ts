/** What the host knows about a request beyond the request itself. */
export interface RequestInfo {
  /** Keeps the host alive for work that the response does not wait for. Default: the work just runs. */
  waitUntil?(work: Promise<unknown>): void;
  /**
   * The address from which the request came, as the connection says it and no header: for events, limits
   * and `trustedProxies`. Default: unknown; on workers, `CF-Connecting-IP`.
   */
  clientAddress?: string | undefined;
  /** False: `run()` reads no session; `context.auth` still reads it when asked. Default true. */
  session?: boolean;
  /** Names the request in error responses and the log. Default: a random UUID. */
  requestId?: string;
  /**
   * Renders the application's own page at this address with this status, such as its sign-in page after
   * a wrong password. Null when it has none.
   */
  renderPage?(url: URL, status: number): Promise<Response | null>;
}
