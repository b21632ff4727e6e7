/** Response over a raw connection. */
export interface RawReply {
  /** Status of the first response; 0 when the server closed without one. */
  status: number;
  /** Everything that came, as Latin-1. */
  text: string;
}

// Less than the ten seconds after which a server gives up on others that hold it.
const PATIENCE = 8000;
const SILENCE = 500;

/**
 * Writes bytes to a server of this machine and reads until it closes, or has been silent for a while.
 *
 * @param message Latin-1, or bytes.
 */
export async function sendRaw(port: number, message: string | Uint8Array): Promise<RawReply> {
  const bytes = typeof message === "string"
    ? Uint8Array.from(message, (character) => character.charCodeAt(0))
    : message;
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const decoder = new TextDecoder("latin1");
  let text = "";
  let timer = setTimeout(() => connection.close(), PATIENCE);
  try {
    // The server may answer and close before it has read everything.
    const writing = writeAll(connection, bytes).catch(() => {});
    const buffer = new Uint8Array(64 * 1024);
    for (;;) {
      const count = await connection.read(buffer);
      if (count === null) break;
      clearTimeout(timer);
      timer = setTimeout(() => connection.close(), SILENCE);
      text += decoder.decode(buffer.subarray(0, count), { stream: true });
    }
    await writing;
  } catch {
    // Closed: what came until then is the reply.
  } finally {
    clearTimeout(timer);
    try {
      connection.close();
    } catch {
      // Closed by the timer.
    }
  }
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0), text };
}

/**
 * Asks a server of this machine for a WebSocket, as the page of a site does, and tells the answer.
 *
 * @param from Origin of the page.
 * @param cookie The browser's cookies. Default: none.
 */
export async function sendHandshake(
  address: string,
  from: string,
  cookie = "",
): Promise<RawReply> {
  const { host, pathname, port } = new URL(address);
  const lines = [
    `GET ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    `Origin: ${from}`,
    ...cookie === "" ? [] : [`Cookie: ${cookie}`],
  ];
  return await sendRaw(Number(port), `${lines.join("\r\n")}\r\n\r\n`);
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}
