/** A way to a server on which packets are lost, late, or end their connection, at will. */
export interface FaultyNetwork {
  /** Address for clients. */
  readonly port: number;
  /** True when everything that is sent now is lost. */
  losing: boolean;
  /** True when what is sent now is lost, and sent again once this is false, as TCP does it. */
  stalled: boolean;
  /** Milliseconds that a packet takes, each way. */
  delay: number;
  /** Share of the packets that end their connection, 0 to 1. */
  resetting: number;
  /** Port of 127.0.0.1 to which new connections lead. */
  target: number;
  /** How often somebody has sent something since an answer came, over whatever connection: the times that were waited for. */
  readonly trips: number;
  /** Ends it, with every connection. */
  close(): void;
}

/** Puts a network in front of a port of 127.0.0.1. */
export function createFaultyNetwork(target: number): FaultyNetwork {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();

  let trips = 0;
  let isAnswered = true;

  async function carry(from: Deno.Conn, to: Deno.Conn, asks: boolean): Promise<void> {
    const buffer = new Uint8Array(65_536);
    let last = Promise.resolve();
    try {
      for (;;) {
        const length = await from.read(buffer);
        if (length === null) break;
        if (asks && isAnswered) trips++;
        isAnswered = !asks;
        while (network.stalled) await new Promise((resolve) => setTimeout(resolve, 20));
        if (network.losing) continue;
        if (Math.random() < network.resetting) break;
        const packet = buffer.slice(0, length);
        const arrives = performance.now() + network.delay;
        // One after the other, and the next is read meanwhile.
        last = last.then(async () => {
          const left = arrives - performance.now();
          if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
          for (let sent = 0; sent < length;) sent += await to.write(packet.subarray(sent));
        });
        if (network.delay === 0) await last;
        else last.catch(() => {});
      }
      await last;
    } catch {
      // Either side has gone.
    }
    for (const end of [from, to]) if (open.delete(end)) end.close();
  }

  async function accept(): Promise<void> {
    for await (const client of listener) {
      open.add(client);
      try {
        const server = await Deno.connect({ hostname: "127.0.0.1", port: network.target });
        open.add(server);
        void carry(client, server, true);
        void carry(server, client, false);
      } catch {
        if (open.delete(client)) client.close();
      }
    }
  }

  const network: FaultyNetwork = {
    port: listener.addr.port,
    losing: false,
    stalled: false,
    delay: 0,
    resetting: 0,
    target,
    get trips() {
      return trips;
    },
    close() {
      listener.close();
      for (const end of open) end.close();
      open.clear();
    },
  };
  void accept().catch(() => {});
  return network;
}
