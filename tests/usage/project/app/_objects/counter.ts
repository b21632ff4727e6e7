interface State {
  storage: {
    get<T>(key: string): Promise<T | undefined>;
    put<T>(key: string, value: T): Promise<void>;
  };
}

export class Counter {
  readonly #state: State;

  constructor(state: State, _env: unknown) {
    this.#state = state;
  }

  async fetch(_request: Request): Promise<Response> {
    const count = (await this.#state.storage.get<number>("count") ?? 0) + 1;
    await this.#state.storage.put("count", count);
    return Response.json({ count });
  }
}
