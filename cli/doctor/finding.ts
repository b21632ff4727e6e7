/** What one check of `framework doctor` found. */
export interface Finding {
  /** What was looked at, in one or two words. */
  check: string;
  status: "ok" | "warning" | "problem";
  message: string;
  /** What to do about it. */
  fix?: string;
  /** Whether every other command refuses this as a wrong configuration, with exit code 2. */
  configuration?: true;
}

/** All is well. */
export function ok(check: string, message: string): Finding {
  return { check, status: "ok", message };
}

/** Works, but not as it should. */
export function warning(check: string, message: string, fix: string): Finding {
  return { check, status: "warning", message, fix };
}

/** Stops some command. */
export function problem(check: string, message: string, fix: string | undefined): Finding {
  return { check, status: "problem", message, ...(fix === undefined ? {} : { fix }) };
}
