import {
  createDurableObjectHasher,
  PasswordHashObject,
  type PasswordObjectNamespace,
} from "../password/durable_object.ts";
import { configurePasswordHashing } from "../password/queue.ts";

export { PasswordHashObject };

// However slow the machine is.
configurePasswordHashing({ maxWait: 60 });

/** Does by the objects what the test asks for. */
const worker: {
  fetch(request: Request, env: { HASHER: PasswordObjectNamespace }): Promise<Response>;
} = {
  async fetch(request, { HASHER }) {
    const hasher = createDurableObjectHasher(HASHER, { objects: 2 });
    const { passwords, verify } = await request.json() as {
      passwords: string[];
      verify?: [password: string, hash: string | null][];
    };
    return Response.json({
      hashes: await Promise.all(passwords.map((password) => hasher.hash(password))),
      verified: await Promise.all(
        (verify ?? []).map(([password, hash]) => hasher.verify(password, hash)),
      ),
    });
  },
};

export default worker;
