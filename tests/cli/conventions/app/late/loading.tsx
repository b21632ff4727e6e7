export default function Loading() {
  return <p>Please wait</p>;
}
