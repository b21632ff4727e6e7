import { useSyncExternalStore } from "react";
import { auth } from "./auth.ts";

export function useAuth() {
  return useSyncExternalStore(auth.subscribe, auth.getState, auth.getState);
}
