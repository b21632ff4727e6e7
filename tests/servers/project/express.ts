import { requireAuth } from "@framework/auth";
import { nodeAuth } from "@framework/auth/node";
import express from "express";
import { auth } from "./auth.ts";
import { greeting } from "./pages.ts";

const accounts = nodeAuth(auth);
const app = express();
app.use(accounts); // the first
app.get("/account", (_request, response) => {
  response.send(greeting(requireAuth()));
});
app.use(accounts.errors); // the last
app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
