import { waitUntil } from "@framework/auth";
import handler from "@tanstack/react-start/server-entry";
import { auth } from "./auth.ts";

export default {
  fetch(request: Request & { ip?: string }) {
    const info = { clientAddress: request.ip, waitUntil };
    return auth.fetch(request, {}, {
      ...info,
      next() {
        auth.assertSameOrigin(request, {}, info); // forms of other sites
        return handler.fetch(request);
      },
    });
  },
};
