import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { TestingError } from "../errors.ts";

type Handlers = Record<string, (part: object) => unknown>;

/** Rewriter of the package `html-rewriter-wasm`: the platform's own parser, compiled to WebAssembly. */
interface WasmRewriter {
  on(selector: string, handlers: Handlers): void;
  onDocument(handlers: Handlers): void;
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<void>;
  free(): void;
}

type WasmRewriterClass = new (
  sink: (chunk: Uint8Array<ArrayBuffer>) => void,
  options: { enableEsiTags: boolean },
) => WasmRewriter;

/** The platform's `HTMLRewriter`. */
export interface HtmlRewriter {
  on(selector: string, handlers: object): HtmlRewriter;
  onDocument(handlers: object): HtmlRewriter;
  transform(response: Response): Response;
}

const PACKAGE = "html-rewriter-wasm";

/**
 * Creates the class `HTMLRewriter` over the package `html-rewriter-wasm` of the project, which is loaded when the first
 * rewriter is made.
 *
 * @param load Loads the class of the package. Default: that of the project's folder.
 * @see https://developers.cloudflare.com/workers/runtime-apis/html-rewriter/
 */
export function createHtmlRewriterClass(
  load: () => WasmRewriterClass = loadPackage,
): new () => HtmlRewriter {
  return class HTMLRewriter implements HtmlRewriter {
    readonly #Rewriter = load();
    readonly #handlers: ((rewriter: WasmRewriter) => void)[] = [];

    on(selector: string, handlers: object): this {
      // As on the platform, a wrong selector is found out here.
      checkSelector(this.#Rewriter, selector);
      this.#handlers.push((rewriter) => rewriter.on(selector, handlersOf(handlers, ELEMENT)));
      return this;
    }

    onDocument(handlers: object): this {
      this.#handlers.push((rewriter) => rewriter.onDocument(handlersOf(handlers, DOCUMENT)));
      return this;
    }

    transform(response: Response): Response {
      if (!(response instanceof Response)) {
        throw new TypeError(
          "Failed to execute 'transform' on 'HTMLRewriter': parameter 1 is not of type 'Response'.",
        );
      }
      const { body } = response;
      if (body === null) return new Response(null, response);
      return new Response(this.#rewrite(body), response);
    }

    #rewrite(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
      let rewriter: WasmRewriter;
      const stream = new TransformStream<Uint8Array, Uint8Array>({
        start: (controller) => {
          rewriter = new this.#Rewriter((chunk) => {
            if (chunk.length > 0) controller.enqueue(chunk.slice());
          }, { enableEsiTags: false });
          for (const add of this.#handlers) add(rewriter);
        },
        transform: (chunk) => rewriter.write(chunk),
        flush: () => rewriter.end(),
      });
      // Whoever reads the result gets the error; one that failed cannot be freed, as it is still in use.
      body.pipeTo(stream.writable).then(() => rewriter.free(), () => {});
      return stream.readable;
    }
  };
}

const ELEMENT = ["element", "comments", "text"];
const DOCUMENT = ["doctype", "comments", "text", "end"];

/** Binds handlers to their object, whose prototype may have them. */
function handlersOf(handlers: object, names: readonly string[]): Handlers {
  const known = handlers as Handlers;
  return Object.fromEntries(
    names.filter((name) => typeof known[name] === "function")
      .map((name) => [name, (part: object) => known[name]!(part)]),
  );
}

function checkSelector(Rewriter: WasmRewriterClass, selector: string): void {
  const rewriter = new Rewriter(() => {}, { enableEsiTags: false });
  try {
    rewriter.on(selector, {});
  } catch (error) {
    throw new TypeError(`Parser error: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    rewriter.free();
  }
}

function loadPackage(): WasmRewriterClass {
  try {
    return createRequire(join(process.cwd(), "package.json"))(PACKAGE).HTMLRewriter;
  } catch (cause) {
    throw new TestingError(
      "HTML_REWRITER",
      `HTMLRewriter is a global of the platform. In process it is made of the package ${PACKAGE}, which is ` +
        `not installed in this project: npm install --save-dev ${PACKAGE}. Or run the test in workerd: ` +
        'createTestContext({ runtime: "workerd" }).',
      { cause },
    );
  }
}
