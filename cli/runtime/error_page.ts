import { jsx } from "hono/jsx";
import { escapeHtml } from "./document.ts";
import { answerError, type ErrorSituation, isExpected, toPageError } from "./errors.ts";
import { type LoadedModule, type PageRequest, unwrap, withLayoutData } from "./loaders.ts";
import type { ErrorPageKind, ManifestErrorPage } from "./manifest.ts";
import { readHeaders } from "./page_headers.ts";
import { component, renderDocument } from "./render.ts";
import { errorHeader } from "./response_headers.ts";
import type { PageError } from "./types.ts";

/** Source of an error page. */
export interface ErrorPageSource extends PageRequest {
  /** Error pages, nearest first. */
  pages: readonly ManifestErrorPage[];
}

const kindOfStatus: Record<number, ErrorPageKind> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
};

/**
 * Converts a thrown value into a response: the application's error page, if it has one and the
 * client wants a page, otherwise the plain one. When an error page fails, the next outer one is
 * used, so that a failing layout does not affect all of them.
 */
export async function answerFailure(
  error: unknown,
  situation: ErrorSituation,
  source: ErrorPageSource,
): Promise<Response> {
  const plain = answerError(error, situation);
  if (error instanceof Response || !isHtml(plain)) return plain;
  const pages = candidates(source.pages, plain.status);
  if (pages.length === 0) return plain;
  const shown = await toPageError(error, situation);
  for (const page of pages) {
    try {
      return await render(page, shown, { ...source, plain });
    } catch (failure) {
      // The layouts around it fail as before, which has already been logged.
      if (isSame(failure, error) || isExpected(failure)) continue;
      situation.onError(failure, situation);
    }
  }
  return plain;
}

/** Tests for the same fault: what throws while a layout is rendered throws another error each time. */
function isSame(failure: unknown, error: unknown): boolean {
  return failure === error ||
    failure instanceof Error && error instanceof Error && failure.message === error.message;
}

/**
 * Renders the replacement of a page that failed after the response had started: the nearest error
 * page alone, or a redirect in markup.
 */
export async function renderLateError(
  error: unknown,
  situation: ErrorSituation,
  { pages, args, load }: Pick<ErrorPageSource, "pages" | "args" | "load">,
): Promise<string> {
  const plain = answerError(error, situation);
  const location = plain.headers.get("location");
  if (location !== null) {
    return `<meta http-equiv="refresh" content="0;url=${escapeHtml(location)}"/>`;
  }
  const shown = await toPageError(error, situation);
  for (const page of candidates(pages, plain.status)) {
    try {
      const { layoutData } = await loadAround(page, load);
      const { params, searchParams } = args;
      const props = { error: shown, layoutData, params, searchParams };
      return String(await jsx(component(page), props).toString());
    } catch (failure) {
      if (!isExpected(failure)) situation.onError(failure, situation);
    }
  }
  return `<p role="alert">${escapeHtml(shown.message)}</p><p>Request ${shown.requestId}</p>`;
}

/**
 * Returns the error pages to try: those for the status first, wherever they are, then those for
 * every error.
 */
function candidates(pages: readonly ManifestErrorPage[], status: number): ManifestErrorPage[] {
  const special = kindOfStatus[status];
  return [
    ...pages.filter(({ kind }) => kind === special),
    ...pages.filter(({ kind }) => kind === "error"),
  ];
}

async function render(
  page: ManifestErrorPage,
  error: PageError,
  { plain, ...source }: ErrorPageSource & { plain: Response },
): Promise<Response> {
  const { args, load } = source;
  const { layouts, layoutData } = await loadAround(page, load);
  const { params, searchParams } = args;
  const body = await renderDocument({
    page,
    props: { error, layoutData, params, searchParams },
    layouts,
    request: source,
  });
  const headers = await readHeaders(layouts, source);
  // A failure may be temporary, and may depend on the user.
  headers.set("cache-control", "no-store");
  for (const name of ["retry-after", errorHeader]) {
    const value = plain.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(body, { status: plain.status, headers });
}

/** Loads the layouts around an error page, and their data as it sees them. */
async function loadAround(
  page: ManifestErrorPage,
  load: PageRequest["load"],
): Promise<{ layouts: LoadedModule[]; layoutData: Record<string, unknown> }> {
  const loaded = await Promise.all(page.layouts.map(async (layout) => {
    const result = await load(layout);
    // A layout that returns a response renders nothing around a page.
    if (result instanceof Response) throw result;
    return result;
  }));
  const layouts = withLayoutData([...page.layouts, page], [...loaded, unwrap(undefined)]);
  const { layoutData } = layouts.pop()!;
  return { layouts, layoutData };
}

function isHtml({ headers }: Response): boolean {
  return /^text\/html/i.test(headers.get("content-type") ?? "");
}
