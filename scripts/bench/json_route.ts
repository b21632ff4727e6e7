import { type AppManifest, createApplication, type ManifestRoute } from "@framework/cli/runtime";
import { Hono } from "hono";
import { type Contender, runRounds } from "./rounds.ts";

/** A route whose last part is dynamic; the number makes its path one of many. */
function route(number: number): ManifestRoute {
  return {
    kind: "route",
    pattern: `/api/things${number}/:id`,
    file: `app/api/things${number}/[id]/route.ts`,
    module: { GET: (_request: Request, { params }: { params: { id: string } }) => params },
    layouts: [],
    middleware: [],
  };
}

/** A route in the middle of an application with that many routes. */
function framework(routes: number): Contender {
  const manifest: AppManifest = {
    database: "DB",
    dev: false,
    auth: null,
    routes: Array.from({ length: routes }, (_, number) => route(number)),
  };
  const { worker } = createApplication(manifest);
  const address = `http://localhost/api/things${routes >> 1}/7`;
  return {
    name: `the framework, ${routes} routes`,
    run: async () => await (await worker.fetch(new Request(address), {})).text(),
  };
}

function bareHono(routes: number): Contender {
  const app = new Hono();
  for (let number = 0; number < routes; number++) {
    app.get(`/api/things${number}/:id`, (context) => context.json(context.req.param()));
  }
  const address = `http://localhost/api/things${routes >> 1}/7`;
  return {
    name: `bare Hono, ${routes} routes`,
    run: async () => await (await app.fetch(new Request(address), {})).text(),
  };
}

const { worker: small } = createApplication({
  database: "DB",
  dev: false,
  auth: null,
  routes: Array.from({ length: 10 }, (_, number) => route(number)),
});
const hono = new Hono();
for (let number = 0; number < 10; number++) {
  hono.get(`/api/things${number}/:id`, (context) => context.json(context.req.param()));
}

/** Answers `/measure` with timings; below `/hono` and everywhere else with what is measured from outside. */
const worker: { fetch(request: Request): Promise<Response> | Response } = {
  async fetch(request) {
    const url = new URL(request.url);
    if (url.pathname === "/measure") {
      const contenders = [bareHono(10), framework(10), bareHono(1000), framework(1000)];
      return Response.json(await runRounds(contenders, { rounds: 30, jobs: 1000 }));
    }
    return url.searchParams.has("hono") ? hono.fetch(request) : await small.fetch(request, {});
  },
};

export default worker;
