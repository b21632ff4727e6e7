import type { ActionArgs, LoaderArgs, PageProps } from "@framework/cli/runtime";
import { z } from "zod";
import { Comments } from "../_components/comments.tsx";

const kept: string[] = [];

export const input = z.object({ text: z.string().min(3, "Please write at least three letters.") });

export const loader = (_: LoaderArgs<"/stay">) => ({ texts: kept });

export function action({ context }: ActionArgs<"/stay">) {
  kept.push(context.input.text);
  return new Response(null, { status: 204 });
}

export default ({ data }: PageProps<"/stay">) => <Comments texts={data.texts} />;
