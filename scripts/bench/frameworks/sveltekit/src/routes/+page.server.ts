import { issues } from "$lib/issues";

export function load() {
  return { issues };
}
