interface Context {
  env: { ROOM: { getByName(name: string): { say(text: string): Promise<string[]> } } };
}

export async function POST(request: Request, { env }: Context) {
  return await env.ROOM.getByName("lobby").say(await request.text());
}
