const IMPORT =
  "Almost 300 small modules: the runtime finds, reads and links each of them. The same code in one file takes about a " +
  "quarter of the time, of which the import of `node:crypto` is a part of its own on Node.";
const SIGN_IN =
  "No single function stands out: reading the form and the address, checking where the request comes from, making the user's " +
  "record, signing the token and writing the headers take a few percent each, collections of garbage about a tenth.";

const WORKER =
  "In workerd every response, header list and HMAC is an object of the platform, which the collector has to finalise: " +
  "with sixteen requests in flight that is most of the difference to a program that makes none of them.";
const READ_BODY =
  "Reading the body within its limit is the largest part, then the request's scope; the hash is not in it.";
const EMPTY_WORKER =
  "The same work by hand stays below the goal too: the check, the request's scope and the response are what an empty " +
  "worker does not do.";
const ALLOCATED =
  "What is kept per request for AsyncLocalStorage and the response; it does not grow, see the soak.";

/** Where the time goes, by goal: printed beside those that are missed. */
export const NOTES: Readonly<Record<string, string>> = {
  "Node: import of the library": IMPORT,
  "Deno: import of the library": IMPORT,
  "Node: sign-in without a hash, the library over by hand": SIGN_IN,
  "Deno: sign-in without a hash, the library over by hand": SIGN_IN,
  "workerd: sign-in without a hash, the library over by hand": READ_BODY,
  "workerd: token, the library over the fastest by hand": WORKER,
  "workerd: token, jose over the library": WORKER,
  "workerd: requests with the library's check over an empty worker's": EMPTY_WORKER,
  "Deno: left behind by the library": ALLOCATED,
  "Node: left behind by the library": ALLOCATED,
  "workerd: token, Better Auth's fastest cookie cache over the library": WORKER,
  "workerd: token, Auth.js over the library": WORKER,
  "workerd: CPU of the library's start over an empty worker's":
    "About half of it is `node:crypto` and `process`, which workerd loads with the first module that asks for them; the rest " +
    "is parsing the code.",
};
