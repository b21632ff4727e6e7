const captured = fetch;

/** Rates of another server, by a fetch that this module keeps. */
export async function latestRates(): Promise<unknown> {
  return await (await captured("https://rates.example/latest")).json();
}
