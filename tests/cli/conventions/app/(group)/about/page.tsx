export default function Page() {
  return <p>In a group</p>;
}
