import { ConfigurationError, requireRole } from "@framework/auth";
import type { IncomingMessage, ServerResponse } from "node:http";
import { echo, home, late, secret } from "./more_pages.ts";

/** Answers the pages that the guide does not show; false for all others. */
export async function answerMore(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const html = { "content-type": "text/html; charset=utf-8" };
  switch (request.url) {
    case "/":
      response.writeHead(200, html).end(home());
      return true;
    case "/admin":
      requireRole("admin");
      response.writeHead(200, html).end(secret);
      return true;
    case "/stream":
      response.writeHead(200, html);
      for await (const part of late()) response.write(part);
      response.end();
      return true;
    case "/echo": {
      const { user } = echo({}) as { user: string };
      let text = "";
      for await (const part of request) text += part;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ user, ...JSON.parse(text) }));
      return true;
    }
    case "/boom":
      throw new TypeError("boom of the application");
    case "/wrong":
      throw new ConfigurationError("wrong option of the application");
    default:
      return false;
  }
}
