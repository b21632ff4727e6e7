import { auth } from "../../../auth";
import { clientInfo } from "../../../current";

async function serve(request: Request): Promise<Response> {
  return await auth.handle(request, {}, clientInfo(request.headers)) ??
    new Response("There is nothing at this address", { status: 404 });
}

export { serve as DELETE, serve as GET, serve as PATCH, serve as POST };
