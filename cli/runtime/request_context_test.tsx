import { Suspense } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import type { ManifestModule, ManifestRoute } from "./manifest.ts";
import { getContext } from "./request_context.ts";
import { notFound } from "./results.ts";
import type { LayoutProps, RequestContext } from "./types.ts";

function fetchFrom(module: Record<string, unknown>, more: Partial<ManifestRoute> = {}) {
  const { worker } = createApplication({
    database: "DB",
    dev: false,
    auth: null,
    routes: [{
      kind: "page",
      pattern: "/:id",
      file: "app/[id]/page.tsx",
      module: { default: () => null, ...module },
      layouts: [],
      middleware: [],
      ...more,
    }],
  });
  return async (path: string): Promise<string> => {
    const headers = { accept: "text/html" };
    const response = await worker.fetch(new Request(`http://localhost${path}`, { headers }), {});
    return await response.text();
  };
}

const id = (): string => String(getContext().params["id"]);
const named = (module: Record<string, unknown>): ManifestModule => ({ file: "app/x.tsx", module });

Deno.test("getContext() is the request's own everywhere in it, also in what comes late", async () => {
  const seen: unknown[] = [];
  async function Late(): Promise<JSX.Element> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return <b>late {id()}</b>;
  }
  const get = fetchFrom({
    loader: ({ context }: { context: RequestContext }) => seen.push(getContext() === context),
    default: () => (
      <Suspense fallback={<i>{id()}</i>}>
        <Late />
      </Suspense>
    ),
    metadata: () => ({ title: id() }),
  }, {
    layouts: [named({ default: ({ children }: LayoutProps) => <p>{id()} {children}</p> })],
    middleware: [
      named({
        middleware: (_: Request, next: () => Promise<Response>, context: RequestContext) => {
          seen.push(getContext() === context);
          return next();
        },
      }),
    ],
  });
  const texts = await Promise.all(["/1", "/2"].map(get));
  for (const [index, text] of texts.entries()) {
    const own = index + 1;
    assert.match(text, new RegExp(`<title>${own}</title>.*<p>${own} .*<i>${own}</i>.*late ${own}`));
  }
  assert.deepEqual(seen, [true, true, true, true]);
});

Deno.test("getContext() is there in an error page", async () => {
  const get = fetchFrom({ loader: () => notFound() }, {
    errorPages: [{ kind: "not-found", layouts: [], ...named({ default: () => <p>no {id()}</p> }) }],
  });
  assert.match(await get("/7"), /<p>no 7<\/p>/);
});

Deno.test("getContext() says that there is no request where there is none", () => {
  assert.throws(() => getContext(), { name: "OutsideRequestError", message: /getContext\(\)/ });
});
