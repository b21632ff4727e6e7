export default function Page() {
  return <p>Not routed</p>;
}
