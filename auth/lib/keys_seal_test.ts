import assert from "node:assert/strict";
import { fromBase64 } from "./encoding.ts";
import { createResealer, derivePurposeKey, seal, unseal } from "./keys.ts";

const FIRST = "a".repeat(32);
const SECOND = "b".repeat(32);
const OPTIONS = { secrets: [FIRST], purpose: "provider-token", place: "github\n42" } as const;

// Tracks: R106
Deno.test("unseal() opens what seal() made, also after the secret was rotated", async () => {
  for (const text of ["", "token", "ünïcode 😀", "x".repeat(10_000)]) {
    const sealed = await seal(text, OPTIONS);
    assert.match(sealed, /^1\.[A-Za-z0-9_-]+$/);
    assert.equal(await unseal(sealed, OPTIONS), text);
    assert.equal(await unseal(sealed, { ...OPTIONS, secrets: [SECOND, FIRST] }), text);
    assert.equal(await unseal(sealed, { ...OPTIONS, secrets: [SECOND] }), null);
  }
  assert.notEqual(await seal("token", OPTIONS), await seal("token", OPTIONS));
});

// Tracks: GHSA-r4xp-prcw-77qf, K5
Deno.test("unseal() opens nothing of another purpose or from another place", async () => {
  const sealed = await seal("token", OPTIONS);
  assert.equal(await unseal(sealed, { ...OPTIONS, purpose: "oauth-transaction" }), null);
  assert.equal(await unseal(sealed, { ...OPTIONS, place: "github\n43" }), null);
  assert.equal(await unseal(sealed, { secrets: [FIRST], purpose: "provider-token" }), null);
});

Deno.test("unseal() is null for what seal() did not make, whatever it is", async () => {
  const sealed = await seal("token", OPTIONS);
  const others = ["", "1.", "1.AAAA", "2" + sealed.slice(1), sealed.slice(0, -1), sealed + "A"];
  for (let index = 2; index < sealed.length; index += 5) {
    const flipped = sealed[index] === "A" ? "B" : "A";
    others.push(sealed.slice(0, index) + flipped + sealed.slice(index + 1));
  }
  for (const text of others) assert.equal(await unseal(text, OPTIONS), null, text);
});

Deno.test("seal() uses the key of derivePurposeKey()", async () => {
  const sealed = await seal("token", OPTIONS);
  const bytes = fromBase64(sealed.slice(2).replaceAll("-", "+").replaceAll("_", "/"))!;
  const raw = await derivePurposeKey(FIRST, "provider-token");
  const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["decrypt"]);
  const additionalData = new TextEncoder().encode("1.provider-token\0github\n42");
  const opened = await crypto.subtle.decrypt(
    { name: "AES-GCM", iv: bytes.slice(0, 12) as BufferSource, additionalData },
    key,
    bytes.slice(12) as BufferSource,
  );
  assert.equal(new TextDecoder().decode(opened), "token");
});

// Tracks: R106
Deno.test("createResealer() seals anew what an older secret has sealed, and nothing else", async () => {
  const { secrets, purpose, place } = OPTIONS;
  const reseal = await createResealer({ secrets: [SECOND, FIRST], purpose });
  const sealed = await seal("token", OPTIONS);
  const anew = await reseal(sealed, place);
  assert.notEqual(anew, sealed);
  assert.equal(await unseal(anew!, { ...OPTIONS, secrets: [SECOND] }), "token");
  assert.equal(await unseal(anew!, { secrets: [SECOND], purpose, place: "elsewhere" }), null);
  assert.equal(await reseal(anew!, place), anew);
  assert.equal(await reseal(sealed, "github\n43"), null);
  assert.equal(
    await reseal(await seal("token", { ...OPTIONS, purpose: "second-factor" }), place),
    null,
  );
  const alone = await createResealer({ secrets: [SECOND], purpose });
  const flipped = sealed.slice(0, 20) + (sealed[20] === "A" ? "B" : "A") + sealed.slice(21);
  for (const text of ["", "1.", "1.AAAA", "no text", flipped]) {
    assert.equal(await reseal(text, place), null, text);
  }
  assert.equal(await alone(sealed, place), null);
  assert.equal(
    await createResealer({ secrets, purpose }).then((own) => own(sealed, place)),
    sealed,
  );
});
