interface State {
  storage: {
    get(key: string): Promise<number | undefined>;
    put(key: string, value: number): Promise<void>;
  };
}

/** Counts the requests that reach it. */
export class Counter {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async fetch(): Promise<Response> {
    const count = (await this.#state.storage.get("count") ?? 0) + 1;
    await this.#state.storage.put("count", count);
    return Response.json(count);
  }
}
