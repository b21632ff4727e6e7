const IMPORT =
  "All of the library is 424 kB in 18 files, of which the runtime parses every one: that is most of the time, and the same in " +
  "one file is still two thirds of it. A third is `oauth4webapi` and `@noble/hashes`. No `node:crypto` is loaded; " +
  "each module by itself, as JSR has them, takes three times as long in Deno and five times in Node.";
const SIGN_IN =
  "No single function stands out: reading the form and the address, checking where the request comes from, making the user's " +
  "record, signing the token and writing the headers take a few percent each, collections of garbage about a tenth.";

const SCOPE =
  "The check by itself takes less than the one by hand. The rest is what an application gets besides and the other does " +
  "not have: the request's scope for AsyncLocalStorage, the response, and the headers that keep it out of caches. The check " +
  "by hand takes as long as the library when it is put into a scope and answers with such a response. ";
const WORKER = SCOPE +
  "In workerd these are objects of the platform, which the collector has to finalise, and what belongs to a request " +
  "outlives one collection by them.";
const DENO_SCOPE =
  "Half of the difference is the request's scope and the headers of its response, the other half the checks of every claim, " +
  "the user and the session that are made of them, and the collections of garbage after that.";
const SQLITE =
  "The row has 13 columns where the one by hand has six, as a user is more than a name; the rest is the request's scope and " +
  "the headers of its response.";
const D1 =
  "The one query is almost all of it, on both sides; the rest are its further columns, the hash of the token and the request's " +
  "scope. The difference is about as large as the noise.";
const READ_BODY =
  "Reading the body within its limit is the largest part, then the request's scope; the hash is not in it.";
const EMPTY_WORKER =
  "The same work by hand takes as long: an empty worker reads no header and verifies nothing.";
const ALLOCATED =
  "What is kept per request for AsyncLocalStorage and the response; it does not grow, see the soak.";
const KEYS =
  "The limiter keeps a log for each key where the count by hand is one number: more memory for a million of them, of which less is " +
  "in the processor's caches. The cost of one check stays below half a microsecond.";

/** Where the time goes, by goal: printed beside those that are missed. */
export const NOTES: Readonly<Record<string, string>> = {
  "Node: import of the library": IMPORT,
  "Deno: import of the library": IMPORT,
  "Node: sign-in without a hash, the library over by hand": SIGN_IN,
  "Deno: sign-in without a hash, the library over by hand": SIGN_IN,
  "workerd: sign-in without a hash, the library over by hand": READ_BODY,
  "Node: token, the library over the fastest by hand": SCOPE.trimEnd(),
  "Deno: token, the library over the fastest by hand": DENO_SCOPE,
  "workerd: token, the library over the fastest by hand": WORKER,
  "workerd: token, jose over the library": WORKER,
  "Deno: SQLite, the library over by hand": SQLITE,
  "Deno: SQLite, Auth.js over the library": SQLITE,
  "workerd: D1, the library over the join alone": D1,
  "workerd: requests with the library's check over an empty worker's": EMPTY_WORKER,
  "Node: keys, growth from 10² to 10⁶ beside that by hand": KEYS,
  "Deno: keys, growth from 10² to 10⁶ beside that by hand": KEYS,
  "Deno: left behind by the library": ALLOCATED,
  "Node: left behind by the library": ALLOCATED,
  "workerd: token, Better Auth's fastest cookie cache over the library": WORKER,
  "workerd: token, Auth.js over the library": WORKER,
  "workerd: CPU of the library's start over an empty worker's":
    "More than a third is parsing 82 kB of minified code, which is above the goal on a slow machine before anything runs; " +
    "a sixth is evaluating it; the rest is compiling what the first request calls, once. No module of Node but " +
    "`node:async_hooks`, which costs nothing, is loaded: `node:crypto`, with `process` about as much again, comes with the first " +
    "token that is hashed.",
};
