import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ProjectConfig } from "../config/load.ts";
import { packageManager } from "../tools/packages.ts";
import { displayPath } from "../tools/paths.ts";
import type { PlannedFile } from "./plan.ts";

/**
 * Plans the files of a container: its build by the project's package manager, and what is not copied into it.
 *
 * @param config The project.
 */
export function planContainer({ root, outDir, dialect }: ProjectConfig): PlannedFile[] {
  const manager = packageManager(root);
  const dist = displayPath(root, outDir);
  const container = manager.name === "deno"
    ? denoContainer(dist, manager)
    : nodeContainer(dist, manager);
  const text = dialect === "sqlite" ? container : container.replace(
    "-e BASE_URL",
    "-e DATABASE_URL=postgres://user:password@db/app -e BASE_URL",
  );
  const files = [{ path: join(root, "Dockerfile"), text, within: root }];
  const ignored = join(root, ".dockerignore");
  // What is there is the project's own.
  if (!existsSync(ignored)) files.push({ path: ignored, text: IGNORED, within: root });
  return files;
}

const IGNORED = [
  ".dev.vars*",
  ".env*",
  ".framework",
  ".git",
  ".wrangler",
  "data",
  "dist",
  "node_modules",
  "",
].join("\n");

/** Lines that both runtimes have in common: the data outlives the container, and its user is nobody else's. */
const DATA = `ENV DATA_DIR=/data HOST=0.0.0.0 PORT=8080
VOLUME /data
EXPOSE 8080`;

function nodeContainer(
  dist: string,
  { name, install, locked }: ReturnType<typeof packageManager>,
): string {
  const ofNpm = locked ? "npm ci" : install;
  const installs = name === "npm" ? ofNpm : `npx -y ${install} --frozen-lockfile`;
  return `# Build: docker build -t app .
# Run:   docker run -p 8080:8080 -v app-data:/data -e BASE_URL=https://app.example app
FROM node:24-slim AS build
WORKDIR /app
COPY . .
RUN ${installs}
RUN npx framework build --target node

FROM node:24-slim
WORKDIR /app
COPY --from=build /app/${dist} .
RUN mkdir /data && chown node:node /data
USER node
${DATA}
HEALTHCHECK CMD ["node", "-e", "fetch('http://localhost:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["sh", "-c", "node server.js migrate && exec node --enable-source-maps server.js"]
`;
}

function denoContainer(
  dist: string,
  { install, locked }: ReturnType<typeof packageManager>,
): string {
  const run = "deno run --allow-net --allow-read --allow-write --allow-env server.js";
  return `# Build: docker build -t app .
# Run:   docker run -p 8080:8080 -v app-data:/data -e BASE_URL=https://app.example app
FROM denoland/deno:2.9.6 AS build
WORKDIR /app
COPY . .
RUN ${install}${locked ? " --frozen" : ""}
RUN deno run -A npm:@framework/cli build --target deno

FROM denoland/deno:2.9.6
WORKDIR /app
COPY --from=build /app/${dist} .
RUN mkdir /data && chown deno:deno /data
USER deno
${DATA}
HEALTHCHECK CMD ["deno", "eval", "Deno.exit((await fetch('http://localhost:' + Deno.env.get('PORT') + '/healthz')).ok ? 0 : 1)"]
CMD ["sh", "-c", "${run} migrate && exec ${run}"]
`;
}
