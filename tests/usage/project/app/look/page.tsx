import note from "../_components/note.txt";
import stamp from "../_components/stamp.svg";
import styles, { frame } from "./look.module.css";

export default function LookPage() {
  return (
    <p class={`${frame} ${styles.wide}`}>
      <img src={stamp} alt="" />
      {note}
    </p>
  );
}
