import nodeCrypto from "node:crypto";
import { createTextCipher } from "../lib/cipher.ts";
import { createTextKey, hashText } from "../lib/hash.ts";
import type { NodeCrypto } from "../lib/runtime.ts";
import { createPurposeKey } from "../lib/keys.ts";

const KEYS = [3, 7].map((factor) => Uint8Array.from({ length: 32 }, (_, index) => index * factor));
const TEXTS = Array.from({ length: 50 }, (_, index) => "é.Z_-9".repeat(index * index));

/** Made once, as by an application: requests that come together import the keys together. */
const keys = KEYS.map((key) => createTextKey(key));
const others = KEYS.map((key) => createTextKey(key, nodeCrypto as unknown as NodeCrypto));

function signaturesBy(first: number): Promise<string[]> {
  return Promise.all(TEXTS.map((text, index) => others[(first + index) % 2]!.sign(text)));
}

/** Signatures and hashes of `node:crypto` under the key of this secret and purpose. */
const SIGNED = "5GO3vd-eGQ9-bcNlJQmOHitqbkUX72iqqV_3oRpcbTQ";
const HASHED = "mC2ePrmW9VnmM_TRlN7zdh2Qn1o7ZH0ahR_q1nwyydE";

/** A text that `node:crypto` has encrypted under the first key, with the associated data "place". */
const ENCRYPTED = "KBUFbXEbOyJHVQZKCI7TQIA0EhSBMgdATsyKKSDzO9I=";

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
    const derived = createPurposeKey("s".repeat(32), "session-jwt");
    const wrong: string[] = [];
    if (await derived.sign("text") !== SIGNED) wrong.push("derive a key");
    if (await hashText("text") !== HASHED) wrong.push("hash");
    const cipher = createTextCipher(KEYS[0]!);
    const bytes = Uint8Array.from(atob(ENCRYPTED), (character) => character.charCodeAt(0));
    if (await cipher.decrypt(bytes, "place") !== "text") wrong.push("decrypt");
    if (await cipher.decrypt(bytes, "another") !== null) wrong.push("decrypt at another place");
    const anew = await Promise.all(TEXTS.map((text) => cipher.encrypt(text, "")));
    const opened = await Promise.all(anew.map((one) => cipher.decrypt(one, "")));
    if (opened.some((text, index) => text !== TEXTS[index])) wrong.push("encrypt");
    for (const [what, answer, expected] of answers) {
      if (await answer !== expected) wrong.push(what);
    }
    return Response.json({ asked: answers.length, wrong });
  },
};

export default worker;
