import { createApiClient } from "@framework/cli/api";
import type * as notes from "./api/notes/route.ts";

export const api = createApiClient<{ "/api/notes": typeof notes }>();
