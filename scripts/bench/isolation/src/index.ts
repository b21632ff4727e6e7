interface Env { DB: D1Database }
export default {
  async fetch(request: Request, { DB }: Env): Promise<Response> {
    if (request.method === "POST") {
      await DB.prepare("INSERT INTO notes (text) VALUES (?1)").bind(await request.text()).run();
      return new Response(null, { status: 201 });
    }
    const { results } = await DB.prepare("SELECT text FROM notes").all();
    return Response.json(results);
  },
};
