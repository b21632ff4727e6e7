import { DurableObject } from "cloudflare:workers";

interface State {
  storage: {
    sql: { exec(sql: string, ...values: unknown[]): { toArray(): Record<string, unknown>[] } };
    setAlarm(time: number): Promise<void>;
  };
}

export class Room extends DurableObject {
  readonly #state: State;

  constructor(state: State, env: unknown) {
    super(state, env);
    this.#state = state;
    state.storage.sql.exec("CREATE TABLE IF NOT EXISTS lines (text TEXT)");
  }

  async say(text: string): Promise<string[]> {
    if (text === "") throw new RangeError("Say something.");
    this.#state.storage.sql.exec("INSERT INTO lines VALUES (?)", text);
    await this.#state.storage.setAlarm(Date.now() + 3_600_000);
    return this.lines();
  }

  lines(): string[] {
    const rows = this.#state.storage.sql.exec("SELECT text FROM lines").toArray();
    return rows.map(({ text }) => String(text));
  }

  alarm(): void {
    this.#state.storage.sql.exec("DELETE FROM lines");
  }
}
