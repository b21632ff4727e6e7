"use client";
import { type Child, useState } from "hono/jsx";
import "./counter.css";

interface CounterProps {
  start: bigint;
  since: Date;
  labels: Map<string, string>;
  tags: Set<string>;
  nothing: undefined;
  text: string;
  children?: Child;
}

export function Counter({ start, since, labels, tags, text, children }: CounterProps) {
  const [count, setCount] = useState(start);
  const [typed, setTyped] = useState("");
  return (
    <div class="counter">
      <button type="button" onClick={() => setCount(count + 1n)}>
        {labels.get("more")} {String(count)}
      </button>
      <output>{typed}</output>
      <input
        name="note"
        value={typed}
        onInput={(event) => setTyped((event.target as unknown as { value: string }).value)}
      />
      <time dateTime={since.toISOString()}>{since.getTime()}</time>
      <p class="text">{text}</p>
      <p class="tags">{[...tags].join(",")}</p>
      {children}
    </div>
  );
}
