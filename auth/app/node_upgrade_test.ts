import assert from "node:assert/strict";
import { createServer } from "node:http";
import { sendRaw } from "../../tests/support/raw_http.ts";
import { findRunningRequest } from "../lib/runtime.ts";
import { getUser, requireAuth, requireRole, startSession } from "../session/operations.ts";
import { issueSession } from "../session/read_session.ts";
import { createUser } from "../session/users.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createAuth } from "./create_auth.ts";
import { nodeUpgrade, type NodeUpgradeListener } from "./node_upgrade.ts";

const ORIGIN = "https://app.example";

/** Serves a listener of upgrades. Asks for one with the headers, and tells the first line and the rest. */
async function upgrading(
  listener: NodeUpgradeListener,
  work: (
    ask: (headers: Record<string, string>, line?: string) => Promise<string>,
    cookie: string,
  ) => Promise<void>,
): Promise<void> {
  const database = createMemoryStorage();
  const auth = createAuth({ database, baseUrl: ORIGIN, pages: { signIn: "/login" } });
  await auth.run(new Request(ORIGIN), {}, undefined, async () => {
    await createUser({ id: "ada", name: "Ada" });
    return new Response();
  });
  const { cookies } = await issueSession(auth, "ada", {});
  const server = createServer();
  server.on("upgrade", nodeUpgrade(auth, listener));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  try {
    await work(async (headers, line = "GET /chat") => {
      const all = { host: "app.example", connection: "Upgrade", upgrade: "websocket", ...headers };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      return (await sendRaw(port, `${line} HTTP/1.1\r\n${lines.join("")}\r\n`)).text;
    }, cookies[0]!.split(";")[0]!);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

const accept: NodeUpgradeListener = (_request, socket) => {
  socket.end(`HTTP/1.1 101 Switching Protocols\r\n\r\nHello ${getUser()?.name ?? "stranger"}`);
};

Deno.test("nodeUpgrade() lets a connection break that its listener has taken, and the process goes on", async () => {
  const broken: Promise<void>[] = [];
  const take: NodeUpgradeListener = (_request, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\nHello");
    broken.push(
      new Promise((resolve) => {
        setTimeout(() => {
          socket.once("close", () => resolve());
          socket.destroy(new Error("read ECONNRESET"));
        }, 20);
      }),
    );
  };
  await upgrading(take, async (ask) => {
    assert.match(await ask({ origin: ORIGIN }), /Hello/);
    await Promise.all(broken);
  });
  assert.equal(broken.length, 1);
});

// Tracks: R071, R190
Deno.test("nodeUpgrade() knows the session of a WebSocket, and refuses those of other sites", async () => {
  const told: unknown[] = [];
  const listener: NodeUpgradeListener = (request, socket, head) => {
    told.push(request.url);
    return accept(request, socket, head);
  };
  await upgrading(listener, async (ask, cookie) => {
    assert.match(await ask({ cookie, origin: ORIGIN }), /^HTTP\/1\.1 101 [^]*Hello Ada$/);
    // A program names no origin.
    assert.match(await ask({ cookie }), /^HTTP\/1\.1 101 [^]*Hello Ada$/);
    assert.match(await ask({ origin: ORIGIN }), /^HTTP\/1\.1 101 [^]*Hello stranger$/);
    assert.deepEqual(told.splice(0), ["/chat", "/chat", "/chat"]);

    for (
      const forged of [
        { origin: "https://evil.example" },
        { origin: "https://evil.app.example", "sec-fetch-site": "same-site" },
        { origin: "http://app.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" },
        { origin: ORIGIN, "sec-fetch-site": "cross-site" },
        { origin: "https://evil.example", upgrade: "WebSocket" },
      ]
    ) {
      for (const sent of [{ cookie }, {}]) {
        const answer = await ask({ ...sent, ...forged });
        assert.match(answer, /^HTTP\/1\.1 403 \r\n/, JSON.stringify(forged));
        assert.match(answer, /\r\nconnection: close\r\n/);
        assert.match(answer, /CROSS_SITE_REQUEST|another site/);
      }
    }
    assert.deepEqual(told, []);
  });
});

// Tracks: R190
Deno.test("nodeUpgrade() answers what its listener throws, and gives nobody a cookie", async () => {
  const listeners: [number, NodeUpgradeListener][] = [
    [401, () => requireAuth({ throwError: true })],
    [303, () => requireAuth()],
    [401, async () => {
      await Promise.resolve();
      requireRole("admin");
    }],
  ];
  for (const [status, listener] of listeners) {
    await upgrading(listener, async (ask) => {
      const answer = await ask({ origin: ORIGIN });
      assert.ok(answer.startsWith(`HTTP/1.1 ${status} \r\n`), answer);
      assert.match(answer, /\r\ncache-control: no-store\r\n/);
    });
  }
  await upgrading(() => requireRole("admin"), async (ask, cookie) => {
    assert.match(await ask({ cookie }), /^HTTP\/1\.1 403 /);
  });
  await upgrading(() => startSession("ada"), async (ask) => {
    const answer = await ask({ origin: ORIGIN });
    assert.match(answer, /^HTTP\/1\.1 500 /);
    assert.doesNotMatch(answer, /set-cookie/i);
  });
});

// Tracks: OP-02
Deno.test("nodeUpgrade() prints an error that nobody knows, and writes no answer behind one", async () => {
  const target = globalThis.console;
  const { error } = target;
  const lines: unknown[] = [];
  target.error = (...given) => void lines.push(...given);
  try {
    await upgrading(() => {
      throw new TypeError("boom");
    }, async (ask) => assert.match(await ask({}), /^HTTP\/1\.1 500 [^]*Something went wrong$/));
    await upgrading((_request, socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
      throw new TypeError("boom later");
    }, async (ask) => assert.doesNotMatch(await ask({}), /500/));
  } finally {
    target.error = error;
  }
  assert.match(lines.join("\n"), /boom[^]*boom later/);
  assert.equal(findRunningRequest(), undefined);
});

// Tracks: R168
Deno.test("nodeUpgrade() answers what is no request of the web platform, or not the whole of one, without its listener and a line in the log", async () => {
  const target = globalThis.console;
  const { error } = target;
  const lines: unknown[] = [];
  target.error = (...given) => void lines.push(...given);
  const taken: unknown[] = [];
  const listener: NodeUpgradeListener = ({ url, headers }, socket, head) => {
    taken.push([url, headers.host]);
    return accept({ url, headers } as never, socket, head);
  };
  try {
    await upgrading(listener, async (ask) => {
      for (
        const host of ["a b", "app.example/admin?", "user@app.example", "1.2.3.4.5", "[::1", ""]
      ) {
        assert.match(await ask({ host }), /^HTTP\/1\.1 400 \r\n/, host);
      }
      const evil = "http://evil.example/chat";
      for (const line of ["TRACE /chat", `GET ${evil}`, "OPTIONS *", "GET chat", "GET ?x"]) {
        const answer = await ask({}, line);
        assert.match(answer, /^HTTP\/1\.1 400 /, line);
        assert.match(answer, /\r\nconnection: close\r\n/i, line);
      }
      // Behind as many, those of a proxy may be missing.
      const filled = Object.fromEntries(Array.from({ length: 997 }, (_, at) => [`x${at}`, ""]));
      assert.match(await ask(filled), /^HTTP\/1\.1 431 /);
      assert.deepEqual(taken, []);
      // Odd, and a path all the same.
      for (const line of ["GET //evil.example/x", "GET /%00%ff", "GET /\\.."]) {
        assert.match(await ask({ "x-odd": "\u00ff" }, line), /^HTTP\/1\.1 101 /, line);
      }
    });
  } finally {
    target.error = error;
  }
  assert.deepEqual(lines, []);
  assert.deepEqual(taken.map((one) => (one as string[])[1]), Array(3).fill("app.example"));
});
