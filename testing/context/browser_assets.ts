import type { AppAssets } from "@framework/cli/testing";
import { AsyncLocalStorage } from "node:async_hooks";

const built = new AsyncLocalStorage<AppAssets>();

/** Scripts and stylesheets are built for a browser only: every other test gets pages without. */
export const scopedAssets: AppAssets = {
  get scripts() {
    return built.getStore()?.scripts ?? {};
  },
  get styles() {
    return built.getStore()?.styles ?? {};
  },
};

/** Lets the pages that are rendered meanwhile name what was built. */
export function withBuiltAssets<T>(assets: AppAssets, work: () => T): T {
  return built.run(assets, work);
}
