import type { Esbuild, EsbuildContext, EsbuildResult } from "./tools.ts";

/** A build that is faster the second time, as long as its options stay. */
export interface Rebuild {
  build(esbuild: Esbuild, options: object): Promise<EsbuildResult>;
  dispose(): Promise<void>;
}

/** Makes one. Plugins are taken from the first options; they stay the same. */
export function createRebuild(): Rebuild {
  let context: EsbuildContext | undefined;
  let contextKey = "";
  return {
    async build(esbuild, options) {
      const key = JSON.stringify(options);
      if (key !== contextKey) {
        await context?.dispose();
        context = undefined;
        context = await esbuild.context(options);
        contextKey = key;
      }
      return await context!.rebuild();
    },
    dispose: async () => await context?.dispose(),
  };
}
