"use client";
import { useState } from "hono/jsx";
import "./like.css";

export function Like({ since }: { since: Date }) {
  const [count, setCount] = useState(0);
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      {count} since {since.getUTCFullYear()}
    </button>
  );
}
