import type { AppAssets } from "@framework/cli/testing";
import { AsyncLocalStorage } from "node:async_hooks";

const built = new AsyncLocalStorage<AppAssets>();

/**
 * Assets of the current test. Scripts and stylesheets are built for browser tests only; pages of
 * other tests have none.
 */
export const scopedAssets: AppAssets = {
  get scripts() {
    return built.getStore()?.scripts ?? {};
  },
  get styles() {
    return built.getStore()?.styles ?? {};
  },
};

/** Runs work whose rendered pages link the built scripts and stylesheets. */
export function withBuiltAssets<T>(assets: AppAssets, work: () => T): T {
  return built.run(assets, work);
}
