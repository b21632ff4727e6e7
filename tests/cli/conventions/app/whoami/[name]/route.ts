import { getContext } from "@framework/cli/runtime";

async function readName(): Promise<unknown> {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return getContext().params["name"];
}

export function GET(): Promise<unknown> {
  return readName();
}
