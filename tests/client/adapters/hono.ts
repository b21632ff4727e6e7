import { useSyncExternalStore } from "hono/jsx";
import { auth } from "./auth.ts";

export function useAuth() {
  return useSyncExternalStore(auth.subscribe, auth.getState, auth.getState);
}
