import assert from "node:assert/strict";
import { readCookie } from "./cookie.ts";

const NAME = "framework.session-token";

function valueOf(header: string | null): string | null {
  const reading = readCookie(header, NAME);
  return reading.found === "one" ? reading.value : null;
}

Deno.test("readCookie() finds a cookie by its exact name", () => {
  assert.equal(valueOf(`${NAME}=abc`), "abc");
  assert.equal(valueOf(`a=1; ${NAME}=abc; b=2`), "abc");
  assert.equal(valueOf(`a=1;${NAME}=abc;b=2`), "abc");
  assert.equal(valueOf(`\t${NAME} = abc \t; b=2`), "abc");
  assert.equal(valueOf(`${NAME}=`), "");
  assert.equal(valueOf(`${NAME}=a=b=c`), "a=b=c");
  assert.equal(valueOf(`${NAME}="quoted"`), '"quoted"');
  assert.equal(valueOf(`${NAME}=%zz`), "%zz");
  assert.equal(readCookie(null, NAME).found, "none");
  assert.equal(readCookie("", NAME).found, "none");
});

// Tracks: R066. The first is how a nameless cookie can pose as another; see also CVE-2024-47764.
Deno.test("readCookie() finds nothing under any other name", () => {
  const others = [
    `=${NAME}=abc`,
    `${NAME}`,
    `${NAME}-x=abc`,
    `${NAME}.0=abc`,
    `x${NAME}=abc`,
    `${NAME.toUpperCase()}=abc`,
    `\u00a0${NAME}=abc`,
    `\u000b${NAME}=abc`,
    `\ufeff${NAME}=abc`,
    `a=${NAME}=abc`,
    `a="; b"${NAME}=abc`,
    ";;;;",
    "=",
    "=v",
  ];
  for (const header of others) {
    assert.equal(readCookie(header, NAME).found, "none", JSON.stringify(header));
  }
  assert.equal(readCookie("=__Host-x=1", "__Host-x").found, "none");
});

// Tracks: R065
Deno.test("readCookie() believes neither of two values under one name, in either order", () => {
  assert.equal(readCookie(`${NAME}=mine; ${NAME}=tossed`, NAME).found, "several");
  assert.equal(readCookie(`${NAME}=tossed; ${NAME}=mine`, NAME).found, "several");
  assert.equal(readCookie(`${NAME}=; ${NAME}=mine`, NAME).found, "several");
  assert.equal(valueOf(`${NAME}=mine; ${NAME}=mine`), "mine");
});

// Tracks: R066, R155, GHSA-xmf8-cvqr-rfgj
Deno.test("readCookie() is total: no text makes it throw", () => {
  const pieces = [
    "=",
    ";",
    " ",
    "\t",
    '"',
    "%",
    "%zz",
    "\u0000",
    "\u00ff",
    "\ud800",
    NAME,
    "a",
    "__Host-x",
    ",",
    "\\",
  ];
  let seed = 1;
  for (let round = 0; round < 5000; round++) {
    let header = "";
    for (let length = round % 12; length >= 0; length--) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      header += pieces[seed % pieces.length];
    }
    assert.ok(["none", "one", "several"].includes(readCookie(header, NAME).found));
  }
});

// Tracks: R066, R155, F30
Deno.test("readCookie() reads each character a bounded number of times", () => {
  for (const filler of ["a=b; ", ";", " ", "\t; ", `${NAME} `, `${NAME}; `, "=", `${NAME} ;`]) {
    let reads = 0;
    const text = filler.repeat(Math.ceil(65536 / filler.length));
    // A header that counts how often it is looked at.
    const header = {
      length: text.length,
      indexOf(search: string, from: number) {
        const found = text.indexOf(search, from);
        reads += (found === -1 ? text.length : found) - from;
        return found;
      },
      startsWith: (
        search: string,
        at: number,
      ) => (reads += search.length, text.startsWith(search, at)),
      charCodeAt: (index: number) => (reads++, text.charCodeAt(index)),
      slice: (from: number, to: number) => text.slice(from, to),
    };
    readCookie(
      new Proxy(header, {
        get: (target, key) => {
          if (typeof key === "string" && /^\d+$/.test(key)) return reads++, text[Number(key)];
          return Reflect.get(target, key);
        },
      }) as unknown as string,
      NAME,
    );
    assert.ok(reads < text.length * 32, `${JSON.stringify(filler)}: ${reads} reads`);
  }
});
