import { onMounted, onUnmounted, shallowRef } from "vue";
import { auth } from "./auth.ts";

export function useAuth() {
  const state = shallowRef(auth.getState());
  let leave = () => {};
  onMounted(() => leave = auth.subscribe((next) => state.value = next));
  onUnmounted(() => leave());
  return state;
}
