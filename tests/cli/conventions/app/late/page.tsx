import { Counter } from "../_components/counter.tsx";

export default async function Page() {
  await new Promise((resolve) => setTimeout(resolve, 150));
  return (
    <Counter
      start={1n}
      since={new Date(0)}
      labels={new Map([["more", "More"]])}
      tags={new Set()}
      nothing={undefined}
      text="late"
    />
  );
}
