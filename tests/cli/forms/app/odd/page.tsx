import type { ActionArgs } from "@framework/cli/runtime";

export async function action({ request }: ActionArgs<"/odd">) {
  const fields = await request.text();
  return { type: request.headers.get("content-type"), fields };
}

export default function Page({ actionData }: { actionData?: unknown }) {
  return <pre id="odd-answer">{JSON.stringify(actionData)}</pre>;
}
