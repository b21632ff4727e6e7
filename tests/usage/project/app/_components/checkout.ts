export interface ShopEnv {
  SITE: string;
  KV: { get(key: string): Promise<string | null>; put(key: string, value: string): Promise<void> };
  PAYMENTS: { fetch(address: string): Promise<Response> };
}

export async function checkout(env: ShopEnv, order: string): Promise<string> {
  const known = await env.KV.get(order);
  if (known !== null) return known;
  const response = await env.PAYMENTS.fetch(`https://payments/${order}`);
  const receipt = `${env.SITE} ${await response.text()}`;
  await env.KV.put(order, receipt);
  return receipt;
}
