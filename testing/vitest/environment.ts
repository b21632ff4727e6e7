import process from "node:process";
import { setBindings } from "../bindings/given.ts";
import { majorOf } from "./find_package.ts";

/** What vitest asks of an environment. */
export interface VitestEnvironment {
  name: string;
  viteEnvironment: "ssr";
  /** The same for vitest 3; newer ones warn of it. */
  transformMode?: "ssr";
  setup(
    global: object,
    options: Record<string, unknown>,
  ): { teardown(): void };
}

/**
 * The environment whose `environmentOptions.bindings` are bindings and variables of every test context and
 * mock environment of a test file.
 */
const environment: VitestEnvironment = {
  name: "framework",
  viteEnvironment: "ssr",
  ...(majorOf("vitest", process.cwd()) === 3 && { transformMode: "ssr" }),
  setup(_global, { bindings }) {
    const given = typeof bindings === "object" && bindings !== null ? { ...bindings } : {};
    setBindings(given as Record<string, unknown>);
    return { teardown: () => setBindings({}) };
  },
};

export default environment;
