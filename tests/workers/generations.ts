/** Each supported vitest, with its worker pool. */
export const GENERATIONS: Record<string, Record<string, string>> = {
  "5.1.1": { "@cloudflare/vitest-plugin": "1.5.0" },
  "4.1.12": { "@cloudflare/vitest-plugin": "1.4.10" },
  "3.2.4": { "@cloudflare/vitest-pool-workers": "0.12.21" },
};

/** Those that a starter of create-cloudflare is tried with: its own, and the newest. */
export const OF_STARTERS: readonly string[] = ["3.2.4", "5.1.1"];

/** Version of miniflare 5 that is tried. */
export const NEWER_EMULATOR = "5.20261102.0-beta";
