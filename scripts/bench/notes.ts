const LATER =
  "Half of the code are passkeys, second factors, teams, API keys, mails, the account page and the administration, which an " +
  "application names among its providers: without them it would be three fifths of the time. ";
const NAMES =
  "Code without blanks would spare a fifteenth, and no line of a stack trace could be found. No " +
  "`node:crypto` is loaded.";
const NODE_IMPORT =
  "All of the library is 1.2 MB in two files. Three quarters of the time V8 looks " +
  "through its 2,600 functions, of which seventy are compiled, those that run at once; a tenth the modules run, and a twentieth " +
  `Node reads the files. ${LATER}${NAMES} Where starts count, Node keeps what V8 has compiled: \`NODE_COMPILE_CACHE\` names a ` +
  "folder, which nobody but the process's user may write, and the import takes half.";
const DENO_IMPORT =
  "All of the library is 1.2 MB in two files with 2,600 functions, and Deno takes as long for them as Node. " +
  LATER + NAMES;
const SIGN_IN =
  "No single function stands out: reading the form and the address, checking where the request comes from, making the user's " +
  "record, signing the token and writing the headers take a few percent each, collections of garbage about a tenth.";

const D1 =
  "The one query is almost all of it, on both sides. To hash the token, which the other side has done before, is two fifths of " +
  "the difference, to find it in the cookie and the steps between as much; the seven columns more and the user that is made " +
  "of them are the rest. All that takes five microseconds over and over, and ten times that after what the query runs.";
const WORKER_SIGN_IN =
  "A sixth is collections of garbage: the request's scope, the user's record and some twenty promises are more objects than one " +
  "function makes by hand. The rest is spread over reading the form and its address, the token and the headers.";
const WHOLE_REQUEST =
  "The check in a scope by hand takes by itself what the goal allows. A whole request allocates no more than that, 2.1 kB beside the " +
  "4.1 kB of the check, half of it the map of `AsyncLocalStorage`. What it takes longer are seven looks at headers, which the " +
  "platform checks character by character: for a handshake, for the host, for what the page itself says to caches, and for " +
  "three headers by which caches would not listen to that.";
const WHOLE_REQUEST_IN_WORKER =
  "The check in a scope by hand takes almost as long. Each look at a header leaves JavaScript for 0.3 µs, the scope and its promise " +
  "take 1.6 µs, and the response 0.8 µs.";
const EMPTY_WORKER =
  "The same work by hand takes as long: an empty worker reads no header and verifies nothing.";
const ALLOCATED =
  "What is kept of one request until the next collection; it does not grow, see the soak.";

const FASTEST_TOKEN =
  "The library finds the token among all cookies and refuses two of them, bounds its length, compares issuer, audience and both " +
  "ends of its life, and makes a user that is the caller's own. By hand none of that is done but the end of its life; in the " +
  "profile no function of it is more than a twentieth.";
const PEERS_IN_WORKER =
  "The fastest check by hand is within a twentieth of the library's, see above, and would miss this goal as well.";
const POSTGRES =
  "Four fifths of the time the process waits for the server, whoever asks. Of what is more than the query two fifths are the request " +
  "that nobody has read before, its cookie and the hash of its token, as by hand. The rest are the limits of time for connection " +
  "and statement, two timers, the numbers of the row, which `pg` gives as texts, and the user made of it.";
const PROVIDER =
  "It is in no single place: addresses, the three answers with their bounds, callbacks and events. What is sealed is sealed by " +
  "`node:crypto` on both sides.";
const PROVIDER_WITH_DATABASE =
  "A quarter of the profile are the statements of the transaction, the user, the account and the session; an eighth collections " +
  "of garbage, a twentieth random values. The rest is spread over addresses, answers, callbacks and events.";
const HAS_PERMISSION =
  "Of 25 ns, seven find the request, as by hand, and eight ask the rules, which know a thousand roles and the owner of a thing. The " +
  "other ten are what a set of the request does not ask: whether this is a request of this library and nobody else's, whether its " +
  "session is known, whether its headers have gone with what caches may keep, and whose it is.";
const BUILD =
  "Four fifths are esbuild on both cores: 870 kB of worker, bundled and minified, and the browser's scripts. A sixth is to start Node, " +
  "to load the command and to read the project.";
const DEV_START =
  "Two fifths are before the bundle: Node, the command, Miniflare and its first workerd, the scan. A quarter is the bundle, a tenth the " +
  "worker's start. Then the page waits until `app/auth` has been examined, which begins beside that start.";
const PAGE =
  "A quarter of the profile is Hono's JSX, as in Hono, a seventh collections of garbage. What is more is spread over the policy and the other " +
  "headers of security, the links that a page may load ahead, the request's scope, and promises between middleware and markup.";
const COMPONENT_EDIT =
  "All 400 pages import the component. workerd asks for each of their modules anew, one request each, and evaluates it, for which " +
  "the command waits most of the time: it has no way to replace a module alone.";
const SQLITE_CACHE =
  "What SQLite's cache of 2 MB does not hold is a system call for each page of table and index: with `PRAGMA mmap_size` above the " +
  "size of the file it is 1.2 times.";
const PROCESSES =
  "One process, the client and PostgreSQL have both cores busy already; four take turns on them.";

/** Explanations of the goals, printed beside those that are missed. */
export const NOTES: Readonly<Record<string, string>> = {
  "Node: token, the library over the fastest by hand": FASTEST_TOKEN,
  "Deno: token, the library over the fastest by hand": FASTEST_TOKEN,
  "workerd: token, the library over the fastest by hand": FASTEST_TOKEN,
  "workerd: token, Better Auth's fastest cookie cache over the library": PEERS_IN_WORKER,
  "workerd: token, Auth.js over the library": PEERS_IN_WORKER,
  "Node: PostgreSQL, the library over the query alone": POSTGRES,
  "Deno: PostgreSQL, the library over the query alone": POSTGRES,
  "Node: sign-in at a provider, the library over by hand with every check": PROVIDER,
  "Deno: sign-in at a provider, the library over by hand with every check": PROVIDER,
  "Node: sign-in at a provider with SQLite, the library over by hand with every check":
    PROVIDER_WITH_DATABASE,
  "Deno: sign-in at a provider with SQLite, the library over by hand with every check":
    PROVIDER_WITH_DATABASE,
  "Node: 1,000 roles, hasPermission() over a set of the request": HAS_PERMISSION,
  "Deno: 1,000 roles, hasPermission() over a set of the request": HAS_PERMISSION,
  "framework build, the starter, over vite build with Cloudflare's plugin": BUILD,
  "framework dev, start to first answer": DEV_START,
  "workerd: CPU of a page with a loader, the framework over Hono + JSX": PAGE,
  "workerd: CPU of a page with a loader, the framework over HonoX": PAGE,
  "framework dev, 500 routes, edit of a component of all pages to new answer": COMPONENT_EDIT,
  "SQLite: sign-in: a new session, many over few, 99 of 100 within": SQLITE_CACHE,
  "SQLite: check of a session, many over few, half within": SQLITE_CACHE,
  "SQLite: check of a session, many over few, 99 of 100 within": SQLITE_CACHE,
  "SQLite: list of a user's sessions, many over few, half within": SQLITE_CACHE,
  "SQLite: list of a user's sessions, many over few, 99 of 100 within": SQLITE_CACHE,
  "SQLite: sweep of 500 ended sessions, many over few, half within": SQLITE_CACHE,
  "SQLite: sweep of 500 ended sessions, many over few, 99 of 100 within": SQLITE_CACHE,
  "PostgreSQL: requests of 4 processes over one, 2 cores": PROCESSES,
  "Node: import of the library": NODE_IMPORT,
  "Deno: import of the library over a package with nothing in it": DENO_IMPORT,
  "Node: sign-in without a hash, the library over by hand": SIGN_IN,
  "Deno: sign-in without a hash, the library over by hand": SIGN_IN,
  "workerd: sign-in without a hash, the library over by hand": WORKER_SIGN_IN,
  "workerd: D1, the library over the join alone": D1,
  "Node: token, a whole request over the check": WHOLE_REQUEST,
  "Deno: token, a whole request over the check": WHOLE_REQUEST,
  "workerd: token, a whole request over the check": WHOLE_REQUEST_IN_WORKER,
  "Node: SQLite, a whole request over the check": WHOLE_REQUEST,
  "Deno: SQLite, a whole request over the check": WHOLE_REQUEST,
  "workerd: requests with the library's check over an empty worker's": EMPTY_WORKER,
  "Deno: left behind by the library": ALLOCATED,
  "Node: left behind by the library": ALLOCATED,
  "workerd: CPU of the library's start over an empty worker's":
    "Half is that V8 looks through 105 kB of minified code: the same text in one function that nobody calls takes as long. A " +
    "tenth is evaluating it; the rest is compiling the hundred functions that check the configuration and answer the first " +
    "request, once each. No module of Node but `node:async_hooks`, which costs nothing, is loaded: `node:process` would take as " +
    "long as everything else, and `node:crypto` comes with the first password that is hashed.",
  "the minimal worker, compressed":
    "Sentences for whoever made a mistake are 3.5 kB of it and SQL is 1.6 kB: without a word of either it would be 33.4 kB. Of the " +
    "code the storage is a fifth, sessions a sixth, requests and responses an eighth, OAuth as much; no file is more than a twentieth.",
};
