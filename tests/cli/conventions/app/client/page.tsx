import { Counter } from "../_components/counter.tsx";
import "./page.css";

export const metadata = { title: "Client" };

const hostile = `</script><script>document.title="injected"</script><!--' " & \u2028 __proto__`;

export default function Page() {
  return (
    <Counter
      start={41n}
      since={new Date(86_400_000)}
      labels={new Map([["more", "More"]])}
      tags={new Set(["a", "b"])}
      nothing={undefined}
      text={hostile}
    >
      <section class="server">Rendered on the server</section>
    </Counter>
  );
}
