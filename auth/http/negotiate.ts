// More ranges than any client sends; what follows is not read.
const MAX_RANGES = 32;

/** How much a list of media ranges likes a type: the weight of its most specific range (RFC 9110, 12.5.1). */
function quality(ranges: readonly string[], type: string, wildcard: string): number {
  let best = 0;
  let specificity = -1;
  for (const range of ranges) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const rank = ["*/*", wildcard, type].indexOf(name);
    if (rank <= specificity) continue;
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    const value = Number(weight?.slice(2) ?? 1);
    specificity = rank;
    best = value >= 0 && value <= 1 ? value : 0;
  }
  return best;
}

/** True when the client would rather have JSON than HTML. Who accepts anything gets HTML. */
export function prefersJson(request: Request): boolean {
  const accept = request.headers.get("accept");
  if (accept === null || !/json|application\/\*/i.test(accept)) return false;
  const ranges = accept.split(",", MAX_RANGES);
  return quality(ranges, "application/json", "application/*") >
    quality(ranges, "text/html", "text/*");
}
