"use client";

import { ApiError } from "@framework/cli/api";
import { useState } from "hono/jsx";
import { api } from "../_api.ts";

export function QuickNote() {
  const [message, setMessage] = useState("");
  async function save(title: string): Promise<void> {
    try {
      const note = await api.POST("/api/notes", { input: { title } });
      const { tags } = await api.GET("/api/notes", { input: { tags: [note.title] } });
      setMessage(`Saved ${tags[0]} at ${note.at}`);
    } catch (error) {
      setMessage(error instanceof ApiError ? error.fields["title"]?.[0] ?? error.code : "Offline");
    }
  }
  return (
    <div class="quick">
      <button type="button" id="short" onClick={() => save("x")}>Short</button>
      <button type="button" id="long" onClick={() => save("Paint")}>Long</button>
      <p id="message">{message}</p>
    </div>
  );
}
