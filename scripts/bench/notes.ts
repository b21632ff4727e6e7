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
  "By hand and in the library one HMAC is most of it, a message of one block that takes two of SHA-256. What the library does " +
  "besides, by hand nobody does: it finds the token among all cookies and refuses two of them, bounds its length, looks at who " +
  "issued it, for whom and when, and makes the user's record anew, so that no caller changes another's.";
const SLOWER_PEERS =
  "The goals are of a library that does no such thing: it also looks for a second cookie of the name, for the header " +
  "of a client without cookies, and opens the scope in which the application asks.";
const POSTGRES =
  "Four fifths of the time the process waits for the server, whoever asks. What is more than the query is half the " +
  "request, which nobody has read before, its cookie and the hash of its token, as by hand; and half the limits of time " +
  "for connection and statement, two timers, the numbers of the row, which `pg` gives as texts, and the user made of it.";
const PROVIDER =
  "By hand the sealed transaction is made and opened by `node:crypto`, at once. The library does it by WebCrypto, which " +
  "all runtimes have and which hands each call to another thread: a fifth of its time on Node. By hand with WebCrypto the library takes one and a " +
  "half times as long. The rest is in no single place: reading the addresses, the three answers with their bounds, " +
  "the callbacks and events of a sign-in, and a tenth is collections of garbage.";
const PROVIDER_WITH_DATABASE =
  "The statements take as long on both sides, a quarter of the library's time. A tenth is collections of garbage, as much " +
  "are random values for the transaction and the session; reading addresses and answers and the events of a sign-in are the rest.";
const HAS_PERMISSION =
  "Of 25 ns, seven find the request, as by hand, and eight ask the rules, which know a thousand roles and the owner of a thing. " +
  "The other ten are what a set of the request does not have to ask: whether this is a request of this library and nobody else's, " +
  "whether its session is known, whether its headers have gone with what caches may keep, and whose it is.";
const BUILD =
  "esbuild bundles and minifies 870 kB on both cores for two fifths of the time; to start Node and load the command takes a quarter, the " +
  "configuration and the files of `app/auth`, which are loaded beside the bundling, the rest.";
const DEV_START =
  "Node and the command take a quarter of it, the bundle of the packages, which is made once, a third; workerd starts beside " +
  "that, and takes the worker up and answers in another quarter. The rest is that `app/auth` is loaded, so that a mistake in it is on the page.";
const PAGE =
  "A quarter is Hono's JSX, as in Hono; a seventh collections of garbage. What it takes more is spread over the policy and the other " +
  "headers of security, the links that the page may load ahead, the request's scope, and the promises between middleware and markup.";
const COMPONENT_EDIT =
  "All 500 pages import the component, so that its module and each of theirs are evaluated anew, which is half of it; a " +
  "quarter is esbuild, which looks whether any of 1,500 files has changed.";
const SQLITE_CACHE =
  "SQLite's own cache has 2 MB of 1.7 GB, and each of the three rows of a check is at the end of four pages of an index: what is not in " +
  "the cache is a system call each. With `PRAGMA mmap_size` it is 1.2 times.";
const SQLITE_SWEEP =
  "500 ended sessions are 500 pages of the table and as many of each index, none of which the cache of 2 MB holds, and " +
  "all of which the commit writes.";
const PROCESSES =
  "The client and PostgreSQL share the two cores with the processes: one of them, the client and the database use both already.";

/** Explanations of the goals, printed beside those that are missed. */
export const NOTES: Readonly<Record<string, string>> = {
  "Node: token, the library over the fastest by hand": FASTEST_TOKEN,
  "Deno: token, the library over the fastest by hand": FASTEST_TOKEN,
  "workerd: token, the library over the fastest by hand": FASTEST_TOKEN,
  "workerd: token, Better Auth's fastest cookie cache over the library": SLOWER_PEERS,
  "workerd: token, Auth.js over the library": SLOWER_PEERS,
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
