import { ConfigurationError, requireRole } from "@framework/auth";
import express, { type Express } from "express";
import { echo, home, late, secret } from "./more_pages.ts";

export function addMore(app: Express): void {
  app.get("/", (_request, response) => void response.send(home()));
  app.all("/admin", (_request, response) => {
    requireRole("admin");
    response.send(secret);
  });
  app.get("/stream", async (_request, response) => {
    response.type("html");
    for await (const part of late()) response.write(part);
    response.end();
  });
  app.post("/echo", express.json(), (request, response) => void response.json(echo(request.body)));
  app.get("/boom", () => {
    throw new TypeError("boom of the application");
  });
  app.get("/wrong", () => {
    throw new ConfigurationError("wrong option of the application");
  });
}
