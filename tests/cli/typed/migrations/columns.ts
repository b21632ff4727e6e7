import type { Json } from "@framework/cli/runtime";

export interface Columns {
  probes: { state: "open" | "closed"; done: 0 | 1; labels: Json<string[]> };
}
