import { Like } from "../_components/like.tsx";

export default function Page() {
  return <Like since={new Date(0)} />;
}
