import { useEffect, useState } from "preact/hooks";
import { auth } from "./auth.ts";

export function useAuth() {
  const [state, setState] = useState(auth.getState);
  useEffect(() => auth.subscribe(setState), []);
  return state;
}
