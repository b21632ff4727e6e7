import { requireRole } from "@framework/auth";
import { createFileRoute } from "@tanstack/react-router";

export const Route = createFileRoute("/admin")({
  server: {
    handlers: {
      GET() {
        requireRole("admin");
        return new Response("Secret");
      },
    },
  },
});
