import { dirname, join } from "node:path";
import { listFiles, repositoryRoot } from "../../scripts/workspace.ts";

/** A block of code in a document. */
export interface CodeBlock {
  file: string;
  line: number;
  /** `ts`, `tsx`, `sh`, … */
  language: string;
  /** What stands behind the language. */
  info: string;
  /** True when the test runner skips it. */
  ignored: boolean;
  text: string;
}

/** The documents that people read: paths below the repository. */
export async function documents(): Promise<string[]> {
  const guides = (await listFiles(join(repositoryRoot, "docs"))).map((file) => `docs/${file}`);
  const others = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
  const readmes = ["auth", "cli", "testing"].map((folder) => `${folder}/README.md`);
  return [...others, ...readmes, ...guides.filter((file) => file.endsWith(".md"))];
}

/** Reads a document. */
export function readDocument(file: string): Promise<string> {
  return Deno.readTextFile(join(repositoryRoot, file));
}

/** The blocks of code of a document, those in lists too. */
export function codeBlocks(file: string, text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const fence = /^([ ]*)```(\w*)([^\n]*)\n([^]*?)^\1```[ ]*$/gm;
  for (const match of text.matchAll(fence)) {
    const [, indent, language, rest, body] = match as unknown as [string, ...string[]];
    blocks.push({
      file,
      line: text.slice(0, match.index).split("\n").length,
      language: language!,
      info: rest!.trim(),
      ignored: rest!.includes("ignore"),
      text: body!.split("\n").map((line) => line.slice(indent!.length)).join("\n"),
    });
  }
  return blocks;
}

/** Lines of a guide that lead from an empty folder to a result: all before the heading `Reference`. */
export function guidePart(text: string): string {
  return text.split(/^## Reference$/m)[0]!;
}

/** A document's text without its blocks of code. */
export function prose(text: string): string {
  return text.replace(/^([ ]*)```[^]*?^\1```[ ]*$/gm, "");
}

/** The name that a heading has in addresses. */
export function anchor(heading: string): string {
  return heading.toLowerCase().replace(/[`*]/g, "").replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** Every link of a document to another place of the repository: the file, and the heading or "". */
export function ownLinks(file: string, text: string): { target: string; heading: string }[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, address]) => address!)
    .filter((address) => !/^[a-z]+:/.test(address))
    .map((address) => {
      const [path = "", heading = ""] = address.split("#");
      return { target: path === "" ? file : join(dirname(file), path), heading };
    });
}
