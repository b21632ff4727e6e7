import { getUser, requireAuth } from "@framework/auth";

export default defineWebSocketHandler({
  upgrade(request) {
    request.context.name = requireAuth({ throwError: true }).name;
  },
  open(peer) {
    peer.send(`Hello ${peer.context.name}`);
  },
});
