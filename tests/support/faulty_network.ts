/** A way to a server on which packets are lost at will: what is sent meanwhile never arrives. */
export interface FaultyNetwork {
  /** Address for clients. */
  readonly port: number;
  /** True when everything that is sent now is lost. */
  losing: boolean;
  /** Port of 127.0.0.1 to which new connections lead. */
  target: number;
  /** Ends it, with every connection. */
  close(): void;
}

/** Puts a network in front of a port of 127.0.0.1. */
export function createFaultyNetwork(target: number): FaultyNetwork {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();

  async function carry(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(65_536);
    try {
      for (;;) {
        const length = await from.read(buffer);
        if (length === null) break;
        if (network.losing) continue;
        for (let sent = 0; sent < length;) sent += await to.write(buffer.subarray(sent, length));
      }
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
        void carry(client, server);
        void carry(server, client);
      } catch {
        if (open.delete(client)) client.close();
      }
    }
  }

  const network: FaultyNetwork = {
    port: listener.addr.port,
    losing: false,
    target,
    close() {
      listener.close();
      for (const end of open) end.close();
      open.clear();
    },
  };
  void accept().catch(() => {});
  return network;
}
