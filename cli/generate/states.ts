import { functionName, importPath, lines, type Place } from "./source_text.ts";

/** File that stands in place of a page: while it loads, or when it has failed. */
export type StateType = "error" | "not-found" | "unauthorized" | "forbidden" | "loading";

/** The types, as typed on the command line. */
export const stateTypes: readonly StateType[] = [
  "error",
  "not-found",
  "unauthorized",
  "forbidden",
  "loading",
];

interface State {
  /** End of the component's name. */
  suffix: string;
  status: number;
  code: string;
  heading: string;
  /** Sentence below the heading; null for the message of the error. */
  text: string | null;
  /** Beginning of the component's documentation. */
  says: string;
}

const states: Record<Exclude<StateType, "loading">, State> = {
  error: {
    suffix: "ErrorPage",
    status: 500,
    code: "INTERNAL_ERROR",
    heading: "Something went wrong",
    text: null,
    says: "Replaces a page that failed",
  },
  "not-found": {
    suffix: "NotFoundPage",
    status: 404,
    code: "NOT_FOUND",
    heading: "Page not found",
    text: "There is no page at this address.",
    says: "Replaces a page that called `notFound()`",
  },
  unauthorized: {
    suffix: "UnauthorizedPage",
    status: 401,
    code: "UNAUTHENTICATED",
    heading: "Sign in",
    text: "Sign in to see this page.",
    says: "Replaces a page that requires a user",
  },
  forbidden: {
    suffix: "ForbiddenPage",
    status: 403,
    code: "FORBIDDEN",
    heading: "No access",
    text: "You are not allowed to see this page.",
    says: "Replaces a page that the user may not see",
  },
};

/** Generates a new error page or loading.tsx. */
export function stateSource(type: StateType, place: Place): string {
  const where = place.segments.length === 0 ? "" : `, under \`${place.pattern}\``;
  if (type === "loading") {
    return lines([
      'import type { JSX } from "hono/jsx/jsx-runtime";',
      "",
      `/** Stands in place of a page until it is ready${where}. */`,
      `export default function ${functionName(place, "Loading")}(): JSX.Element {`,
      '  return <p role="status">Loading …</p>;',
      "}",
    ]);
  }
  const { suffix, heading, text, says } = states[type];
  const props = text === null ? "{ error }: ErrorPageProps" : "";
  return lines([
    text === null && 'import type { ErrorPageProps } from "@framework/cli/runtime";',
    'import type { JSX } from "hono/jsx/jsx-runtime";',
    "",
    `/** ${says}${where}. */`,
    `export default function ${functionName(place, suffix)}(${props}): JSX.Element {`,
    "  return (",
    "    <>",
    `      <h1>${heading}</h1>`,
    `      <p>${text ?? "{error.message}"}</p>`,
    text === null && "      <p>Request {error.requestId}</p>",
    "    </>",
    "  );",
    "}",
  ]);
}

/** Generates the test of an error page or a loading.tsx. */
export function stateTest(type: StateType, place: Place): string {
  const { suffix, heading, status, code, text } = type === "loading"
    ? { suffix: "Loading", heading: "Loading …", status: 0, code: "", text: "" }
    : states[type];
  const component = functionName(place, suffix);
  const error = `{ message: "Out of order.", status: ${status}, code: "${code}", requestId: "r1" }`;
  return lines([
    'import { expect, it } from "vitest";',
    `import ${component} from "${importPath(place.testFile, place.file)}";`,
    "",
    `it("${component} says what has happened", async () => {`,
    text === null && `  const error = ${error};`,
    text === null && "  const props = { error, params: {}, searchParams: {}, layoutData: {} };",
    `  const html = String(await ${component}(${text === null ? "props" : ""}));`,
    `  expect(html).toContain("${heading}");`,
    text === null && '  expect(html).toContain("Out of order.");',
    text === null && '  expect(html).toContain("r1");',
    "});",
  ]);
}
