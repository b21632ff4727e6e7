export default function Home(): string {
  return "Home";
}
