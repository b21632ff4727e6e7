import { getUser } from "@framework/auth";

export default defineEventHandler((event) => {
  setResponseHeader(event, "content-type", "text/html; charset=utf-8");
  const encoder = new TextEncoder();
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(encoder.encode("<p>Soon</p>"));
      await new Promise((resolve) => setTimeout(resolve, 200));
      controller.enqueue(encoder.encode(`<p>Late ${getUser()?.name ?? "stranger"}</p>`));
      controller.close();
    },
  });
});
