/** Message for the next page that the user sees. */
export interface FlashMessage {
  /** Kind of the message, such as `info`, `success` or `error`; safe as a part of a class name. */
  kind: string;
  /** The message, as text: a user may have sent one of their own. */
  text: string;
}

/**
 * One message over a redirect, in a cookie: an action sets it, and the layout of the next page takes
 * it.
 */
export interface Flash {
  /**
   * Sets the message; a second one takes its place.
   *
   * @param text Up to 300 characters; a longer text is shortened.
   * @param kind Lower-case word. Default: `info`.
   */
  set(text: string, kind?: string): void;
  /**
   * Returns the message and removes it, once the response is a page. Null when there is none, and for
   * requests that a browser sends ahead of a visit (`Sec-Purpose: prefetch`): while there is a message,
   * such a page is refused, so that the visit shows it.
   */
  take(): FlashMessage | null;
}
