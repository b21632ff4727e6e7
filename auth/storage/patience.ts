/** How long a request may still wait for the database, over all of its statements and their tries. */
export interface Patience {
  /** Waiting begins. */
  begin(): void;
  /** Waiting ends. */
  end(): void;
  /** Milliseconds that are left of what it may wait; not above 0 when there are none. */
  left(): number;
}

/**
 * Makes the patience of one request. Waiting at the same time counts once. Time in which it does not wait gives back as
 * much: a request that lasts for hours and asks the database now and then never comes to an end of it.
 *
 * @param limit Milliseconds, over all.
 * @param now A clock, in milliseconds.
 */
export function createPatience(limit: number, now: () => number): Patience {
  let waiting = 0;
  let spent = 0;
  let since = now();
  return {
    begin() {
      if (waiting++ > 0) return;
      spent = Math.max(0, spent - (now() - since));
      since = now();
    },
    end() {
      if (--waiting > 0) return;
      spent += now() - since;
      since = now();
    },
    left: () => limit - spent - (waiting > 0 ? now() - since : 0),
  };
}
