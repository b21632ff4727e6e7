import { isAbsolute, relative, sep } from "node:path";

/**
 * Whether a path is the folder itself or lies in it. Compares names only; resolves no links.
 *
 * @param folder Absolute path of a folder.
 * @param path Absolute path.
 */
export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
}

/**
 * How a path is shown to the user: relative to the project, with forward slashes, when it lies inside.
 *
 * @param root Absolute path of the project.
 * @param path Absolute path.
 */
export function displayPath(root: string, path: string): string {
  if (!contains(root, path)) return path;
  return relative(root, path).split(sep).join("/") || ".";
}
