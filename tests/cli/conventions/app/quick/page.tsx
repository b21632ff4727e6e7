import { QuickNote } from "../_components/quick_note.tsx";

export default function QuickPage() {
  return <QuickNote />;
}
