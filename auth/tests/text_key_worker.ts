import { createTextKey as createWorkerKey } from "../crypto/native_text_key.ts";
import { createTextKey } from "../crypto/portable_text_key.ts";

const KEYS = [3, 7].map((factor) => Uint8Array.from({ length: 32 }, (_, index) => index * factor));
const TEXTS = Array.from({ length: 50 }, (_, index) => "é.Z_-9".repeat(index * index));

/** Made once, as by an application: requests that come together import the keys together. */
const keys = KEYS.map((key) => createWorkerKey(key));
const others = KEYS.map((key) => createTextKey(key, null));

function signaturesBy(first: number): Promise<string[]> {
  return Promise.all(TEXTS.map((text, index) => others[(first + index) % 2]!.sign(text)));
}

/** Asks everything before it waits for anything, and says which answers are wrong. */
const worker: { fetch(request: Request): Promise<Response> } = {
  async fetch() {
    const [signatures, foreign] = await Promise.all([signaturesBy(0), signaturesBy(1)]);
    const answers = TEXTS.flatMap((text, index) => {
      const key = keys[index % 2]!;
      const signature = signatures[index]!;
      return [
        ["sign", key.sign(text), signature],
        ["verify", key.verify(text, signature), true],
        ["verify another text", key.verify(`${text}x`, signature), false],
        ["verify by another key", key.verify(text, foreign[index]!), false],
      ] as const;
    });
    const wrong: string[] = [];
    for (const [what, answer, expected] of answers) {
      if (await answer !== expected) wrong.push(what);
    }
    return Response.json({ asked: answers.length, wrong });
  },
};

export default worker;
