/** Values of `html_handling` in the platform file. */
export type HtmlHandling =
  | "auto-trailing-slash"
  | "force-trailing-slash"
  | "drop-trailing-slash"
  | "none";

/** Values of `not_found_handling` in the platform file. */
export type NotFoundHandling = "none" | "404-page" | "single-page-application";

/** What the files answer to a path: a file, or another path that it is served under. */
export type PathAnswer = { file: string; status: 200 | 404 } | { redirect: string } | null;

/** Ways of handling paths of pages and paths that no file has. */
export interface PathHandling {
  html: HtmlHandling;
  notFound: NotFoundHandling;
}

/** A file to look for; `to` is the path that it is served under in the place of the asked one. */
interface Step {
  file: string;
  to?: string;
}

/**
 * Finds what is served under a path, or the path to redirect to.
 *
 * @param path Decoded path.
 * @param exists Returns true for the path of a file.
 * @see https://developers.cloudflare.com/workers/static-assets/routing/advanced/html-handling/
 */
export function answerPath(
  path: string,
  { html, notFound }: PathHandling,
  exists: (path: string) => boolean,
): PathAnswer {
  for (const { file, to } of STEPS[html](path)) {
    if (!exists(file)) continue;
    if (to === undefined) return { file, status: 200 };
    // The file must be what the other path shows, and that path itself must not be a file's.
    if (!exists(to) && shownAt(to, html, exists) === file) return { redirect: to };
  }
  return missing(path, notFound, exists);
}

/** Returns the file that a path shows without redirects. */
function shownAt(
  path: string,
  html: HtmlHandling,
  exists: (path: string) => boolean,
): string | undefined {
  return STEPS[html](path).find(({ file, to }) => to === undefined && exists(file))?.file;
}

function missing(
  path: string,
  notFound: NotFoundHandling,
  exists: (path: string) => boolean,
): PathAnswer {
  if (notFound === "single-page-application") {
    return exists("/index.html") ? { file: "/index.html", status: 200 } : null;
  }
  if (notFound === "none") return null;
  // The nearest page of the folders above.
  for (let folder = path; folder !== "";) {
    folder = folder.slice(0, folder.lastIndexOf("/"));
    if (exists(`${folder}/404.html`)) return { file: `${folder}/404.html`, status: 404 };
  }
  return null;
}

const STEPS: Record<HtmlHandling, (path: string) => Step[]> = {
  "none": (path) => [{ file: path }],

  "auto-trailing-slash": (path) => {
    const last: Step[] = [
      { file: path },
      { file: `${path}.html` },
      { file: `${path}/index.html`, to: `${path}/` },
    ];
    if (path.endsWith("/index")) {
      const folder = path.slice(0, -6);
      return [
        { file: path },
        { file: `${path}.html`, to: `${folder}/` },
        { file: `${folder}.html`, to: folder },
        ...last,
      ];
    }
    if (path.endsWith("/index.html")) {
      const folder = path.slice(0, -11);
      return [{ file: path, to: `${folder}/` }, { file: `${folder}.html`, to: folder }, ...last];
    }
    if (path.endsWith("/")) {
      const bare = path.slice(0, -1);
      return [{ file: `${path}index.html` }, { file: `${bare}.html`, to: bare }, ...last];
    }
    if (path.endsWith(".html")) {
      const bare = path.slice(0, -5);
      return [{ file: path, to: bare }, { file: `${bare}/index.html`, to: `${bare}/` }, ...last];
    }
    return last;
  },

  "force-trailing-slash": (path) => {
    const last: Step[] = [
      { file: path },
      { file: `${path}.html`, to: `${path}/` },
      { file: `${path}/index.html`, to: `${path}/` },
    ];
    if (path.endsWith("/index")) {
      const folder = path.slice(0, -6);
      return [
        { file: path },
        { file: `${path}.html`, to: `${folder}/` },
        { file: `${folder}.html`, to: `${folder}/` },
        ...last,
      ];
    }
    if (path.endsWith("/index.html")) {
      const folder = path.slice(0, -11);
      return [
        { file: path, to: `${folder}/` },
        { file: `${folder}.html`, to: `${folder}/` },
        ...last,
      ];
    }
    if (path.endsWith("/")) {
      return [{ file: `${path}index.html` }, { file: `${path.slice(0, -1)}.html` }, ...last];
    }
    if (path.endsWith(".html")) {
      const bare = `${path.slice(0, -5)}/`;
      return [
        { file: path, to: bare },
        { file: path },
        { file: `${bare}index.html`, to: bare },
        ...last,
      ];
    }
    return last;
  },

  "drop-trailing-slash": (path) => {
    const last: Step[] = [
      { file: path },
      { file: `${path}.html` },
      { file: `${path}/index.html` },
    ];
    if (path === "/index") return [{ file: path }, { file: "/index.html", to: "/" }, ...last];
    if (path === "/index.html") return [{ file: path, to: "/" }, ...last];
    if (path === "/") return [{ file: "/index.html" }, ...last];
    if (path.endsWith("/index")) {
      const folder = path.slice(0, -6);
      return [
        { file: path },
        { file: `${folder}.html`, to: folder },
        { file: `${path}.html`, to: folder },
        ...last,
      ];
    }
    if (path.endsWith("/index.html")) {
      const folder = path.slice(0, -11);
      return [
        { file: path, to: folder },
        { file: path },
        { file: `${folder}.html`, to: folder },
        ...last,
      ];
    }
    if (path.endsWith("/")) {
      const bare = path.slice(0, -1);
      return [
        { file: `${bare}.html`, to: bare },
        { file: `${bare}/index.html`, to: bare },
        ...last,
      ];
    }
    if (path.endsWith(".html")) {
      const bare = path.slice(0, -5);
      return [{ file: path, to: bare }, { file: `${bare}/index.html`, to: bare }, ...last];
    }
    return last;
  },
};
