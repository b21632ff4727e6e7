// What a bucket of a server and R2 have in common beyond the cases that the double of the test kit has too.
import type { ObjectBucket } from "@framework/cli/runtime";
import type { Bucket } from "../../cli/server/files.ts";

/** Name, work and its expected outcome. */
export type FileCase = [name: string, run: (bucket: Bucket) => Promise<unknown>, expected: unknown];

const MD5 = "5d41402abc4b2a76b9719d911017c592";
const OTHER = "795f3202b17cb6bc3d4b771d8c6c9eaf";
const SHA256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
const LENGTHS = { sha1: 40, sha256: 64, sha384: 96, sha512: 128 };
const MiB = 1024 * 1024;

/** What a call gives, or the message of its error. */
async function said(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    return (error as Error).message;
  }
}

const read = async (bucket: Bucket, options: object, key = "a"): Promise<unknown> => {
  const file = await bucket.get(key, options);
  return file !== null && "text" in file ? [await file.text(), file.range] : file && "no body";
};
const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toUTCString();
const WHOLE = ["hello", { offset: 0, length: 5 }];

/** Answers as an application does that knows no other types than those of `@framework/cli/runtime`. */
async function serve(bucket: ObjectBucket, request: Record<string, string>): Promise<unknown[]> {
  const asked = new Headers(request);
  const file = await bucket.get("a", { range: asked, onlyIf: asked });
  if (file === null) return [404];
  const headers = new Headers({ etag: file.httpEtag });
  file.writeHttpMetadata(headers);
  const sent = [Object.fromEntries(headers), file.customMetadata];
  return "body" in file
    ? [await new Response(file.body).text(), ...sent, file.range]
    : [304, ...sent];
}

const SERVED = { "content-type": "text/plain", etag: `"${MD5}"` };

/** Cases of options, listings and uploads in parts. */
export const FILE_CASES: FileCase[] = [
  ["a file, a part of it and what a browser has already are served", async (b) => {
    const bucket = b as ObjectBucket;
    await bucket.put("a", "hello", {
      httpMetadata: { contentType: "text/plain" },
      customMetadata: { by: "ada" },
    });
    const only = { onlyIf: { etagDoesNotMatch: "*" } };
    return [
      await serve(bucket, {}),
      await serve(bucket, { range: "bytes=1-2" }),
      await serve(bucket, { "if-none-match": `"${MD5}"` }),
      await (await bucket.get("a", { range: { suffix: 2 } }))?.text(),
      await bucket.put("a", "other", only),
    ];
  }, [
    ["hello", SERVED, { by: "ada" }, WHOLE[1]],
    ["el", SERVED, { by: "ada" }, { offset: 1, length: 2 }],
    [304, SERVED, { by: "ada" }],
    "lo",
    null,
  ]],
  ["conditions from headers", async (b) => {
    await b.put("a", "hello");
    const results = [];
    for (
      const headers of [
        { "if-match": `"${MD5}"` },
        { "if-match": '"other"' },
        { "if-match": "*" },
        { "if-match": `"x", "${MD5}"` },
        { "if-match": `W/"${MD5}"` },
        { "if-none-match": `"${MD5}"` },
        { "if-none-match": `W/"${MD5}"` },
        { "if-none-match": '"other"' },
        { "if-none-match": "*" },
        { "if-none-match": `"x","${MD5}"` },
        { "if-modified-since": ago(-60_000) },
        { "if-modified-since": ago(60_000) },
        { "if-modified-since": "nonsense" },
        { "if-unmodified-since": ago(60_000) },
        { "if-unmodified-since": ago(-60_000) },
        { "if-match": `"${MD5}"`, "if-unmodified-since": ago(60_000) },
        { "if-none-match": '"x"', "if-modified-since": ago(-60_000) },
        { "if-none-match": `"${MD5}"`, "if-modified-since": ago(60_000) },
        { accept: "*/*" },
      ] as Record<string, string>[]
    ) results.push(await read(b, { onlyIf: new Headers(headers) }) !== "no body");
    return results.map(Number).join("");
  }, "1011000100011011101"],
  ["conditions from headers that are none", async (b) => {
    await b.put("a", "hello");
    return [
      await said(() => read(b, { onlyIf: new Headers({ "if-match": MD5 }) })),
      await said(() => read(b, { onlyIf: new Headers({ "if-none-match": "," }) })),
      await said(() => read(b, { onlyIf: { etagMatches: `"${MD5}"` } })),
      await said(() => read(b, { onlyIf: "x" })),
    ];
  }, [
    "Invalid ETag in if-match header",
    "Invalid ETag in if-none-match header",
    `Conditional ETag should not be wrapped in quotes ("${MD5}").`,
    "Incorrect type for the 'onlyIf' field on 'GetOptions': the provided value is not of type 'Conditional or Headers'.",
  ]],
  ["lists of tags, and dates that are none, in headers", async (b) => {
    await b.put("a", "hello");
    const results = [];
    for (
      const headers of [
        { "if-match": '"*"' },
        { "if-match": `*, "x"` },
        { "if-none-match": `"x", *` },
        { "if-match": `,"${MD5}",` },
        { "if-unmodified-since": "nonsense" },
      ] as Record<string, string>[]
    ) results.push(await read(b, { onlyIf: new Headers(headers) }) !== "no body");
    await b.put("a", "hello", { httpMetadata: new Headers({ expires: "nonsense" }) });
    return [results, (await b.head("a"))?.httpMetadata?.cacheExpiry?.getTime()];
  }, [[false, true, false, true, false], 0]],
  [
    "a part is something",
    async (b) => {
      const upload = await b.createMultipartUpload("a");
      return [
        await said(() => upload.uploadPart(1, null)),
        await said(() => upload.uploadPart(1, undefined)),
      ];
    },
    Array(2).fill(
      "Failed to execute 'uploadPart' on 'R2MultipartUpload': parameter 2 is not of type " +
        "'ReadableStream or ArrayBuffer or ArrayBufferView or string or Blob'.",
    ),
  ],
  ["put() on conditions from headers", async (b) => {
    const put = async (headers: Record<string, string>): Promise<boolean> =>
      await b.put("a", "hello", { onlyIf: new Headers(headers) }) !== null;
    return [
      await put({ "if-match": "*" }),
      await put({ "if-none-match": "*" }),
      await put({ "if-none-match": "*" }),
      await put({ "if-match": `"${MD5}"` }),
      await put({ "if-match": `"${OTHER}"` }),
    ];
  }, [false, true, false, true, false]],
  ["of a tag and a time the tag counts", async (b) => {
    await b.put("a", "hello");
    const [past, future] = [new Date(1_000), new Date(4_000_000_000_000)];
    return [
      await read(b, { onlyIf: { etagMatches: MD5, uploadedBefore: past } }),
      await read(b, { onlyIf: { etagDoesNotMatch: "x", uploadedAfter: future } }),
      await read(b, { onlyIf: { etagMatches: MD5, uploadedAfter: future } }),
      await read(b, { onlyIf: { uploadedAfter: past, secondsGranularity: true } }),
    ];
  }, [WHOLE, WHOLE, "no body", WHOLE]],
  ["ranges from headers", async (b) => {
    await b.put("a", "hello");
    const results = [];
    for (
      const range of [
        "bytes=1-3",
        "bytes=1-",
        "bytes=-2",
        "bytes=0-0",
        "bytes=1-99",
        "bytes=-99",
        "bytes= 1-2",
        "BYTES=1-2",
      ]
    ) results.push(await read(b, { range: new Headers({ range }) }));
    return results;
  }, [
    ["ell", { offset: 1, length: 3 }],
    ["ello", { offset: 1, length: 4 }],
    ["lo", { offset: 3, length: 2 }],
    ["h", { offset: 0, length: 1 }],
    ["ello", { offset: 1, length: 4 }],
    WHOLE,
    ["el", { offset: 1, length: 2 }],
    ["el", { offset: 1, length: 2 }],
  ]],
  ["ranges from headers that are none, or several", async (b) => {
    await b.put("a", "hello");
    const ranges = ["bytes=9-", "bytes=3-1", "bytes=0-1,3-4", "lines=1-2", "bytes=-0", "bytes=-"];
    const found = await Promise.all(
      ranges.map((range) => read(b, { range: new Headers({ range }) })),
    );
    return [...found, await read(b, { range: new Headers() })];
  }, Array(7).fill(WHOLE)],
  ["ranges that are none", async (b) => {
    await b.put("a", "hello");
    const results = [];
    for (
      const range of [
        { suffix: 2, offset: 1 },
        { suffix: 2, length: 1 },
        { offset: -1 },
        { suffix: -1 },
        { offset: 1.5 },
        { suffix: 0 },
        { length: 0 },
        "bytes=0-1",
      ]
    ) results.push(await said(() => read(b, { range })));
    return results;
  }, [
    "Suffix is incompatible with offset.",
    "Suffix is incompatible with length.",
    "Invalid range. Starting offset (-1) must be greater than or equal to 0.",
    "Invalid suffix. Suffix (-1) must be greater than or equal to 0.",
    "Invalid range. Starting offset (1.5) must be an integer, not floating point.",
    "get: The requested range is not satisfiable (10039)",
    "get: The requested range is not satisfiable (10039)",
    "Incorrect type for the 'range' field on 'GetOptions': the provided value is not of type 'Range or Headers'.",
  ]],
  [
    "hashes",
    async (b) => {
      const results = [];
      for (const [name, length] of Object.entries(LENGTHS)) {
        const algorithm = name.replace("sha", "SHA-");
        const bytes = await crypto.subtle.digest(algorithm, new TextEncoder().encode("hello"));
        const hex = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0"));
        const written = await b.put("a", "hello", { [name]: hex.join("").toUpperCase() });
        await b.put("b", "hello", { [name]: bytes });
        const found = [written, await b.head("a"), await b.head("b")];
        for (const file of found) {
          const { md5, ...rest } = file!.checksums.toJSON() as Record<string, string>;
          const own = Object.values(rest).filter((value) => value !== undefined);
          results.push([md5 === MD5, rest[name] === hex.join(""), own.length]);
        }
        const wrong = await said(() => b.put("a", "other", { [name]: "0".repeat(length) }));
        results.push(/^put: The (\S+) checksum you specified did not/.exec(String(wrong))?.[1]);
      }
      return results;
    },
    ["SHA-1", "SHA-256", "SHA-384", "SHA-512"].flatMap((title) => [
      ...Array(3).fill([true, true, 1]),
      title,
    ]),
  ],
  ["a wrong hash replaces nothing, and a value without one has none", async (b) => {
    await b.put("a", "hello", { sha256: SHA256 });
    const wrong = await said(() => b.put("a", "other", { sha256: SHA256 }));
    const before = await read(b, {});
    await b.put("a", "hello");
    return [wrong, before, (await b.head("a"))!.checksums.toJSON()];
  }, [
    "put: The SHA-256 checksum you specified did not match what we received.\n" +
    `You provided a SHA-256 checksum with value: ${SHA256}\n` +
    "Actual SHA-256 was: d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa (10037)",
    WHOLE,
    { md5: MD5 },
  ]],
  ["hashes that are none", async (b) => [
    await said(() => b.put("a", "x", { md5: MD5, sha256: SHA256 })),
    await said(() => b.put("a", "x", { md5: "00" })),
    await said(() => b.put("a", "x", { sha1: new Uint8Array(3) })),
    await said(() => b.put("a", "x", { sha256: "z".repeat(64) })),
    await b.head("a"),
  ], [
    "You cannot specify multiple hashing algorithms.",
    "MD5 is 32 hex characters, not 2",
    "SHA-1 is 20 bytes, not 3",
    "Provided SHA-256 wasn't a valid hex string",
    null,
  ]],
  [
    "values that are none",
    (b) => said(() => b.put("a", 5 as unknown as string)),
    "Failed to execute 'put' on 'R2Bucket': parameter 2 is not of type 'ReadableStream or ArrayBuffer or ArrayBufferView or string or Blob'.",
  ],
  ["keys with the last character there is", async (b) => {
    const keys = ["\u{10ffff}", "\u{10ffff}\u{10ffff}", "a\u{10ffff}", "a\u{10ffff}b", "b"];
    for (const key of keys) await b.put(key, key);
    const list = async (options: object) => {
      const { objects, delimitedPrefixes } = await b.list(options);
      return [objects.map(({ key }) => keys.indexOf(key)).join(""), delimitedPrefixes];
    };
    return [
      await list({ prefix: "\u{10ffff}" }),
      await list({ prefix: "a" }),
      await list({ prefix: "a\u{10ffff}" }),
      await list({ delimiter: "\u{10ffff}" }),
    ];
  }, [
    ["01", []],
    ["23", []],
    ["23", []],
    ["4", ["a\u{10ffff}", "\u{10ffff}"]],
  ]],
  ["an upload in parts", async (b) => {
    const upload = await b.createMultipartUpload("a", {
      httpMetadata: { contentType: "text/plain" },
      customMetadata: { by: "ada" },
    });
    const [first, last] = [new Uint8Array(5 * MiB).fill(97), new Uint8Array(3).fill(98)];
    const resumed = b.resumeMultipartUpload(upload.key, upload.uploadId);
    const parts = [
      await resumed.uploadPart(2, last),
      await upload.uploadPart(1, new Uint8Array(5 * MiB)),
      // In the place of the one before.
      await upload.uploadPart(1, first),
      await upload.uploadPart(3, "not chosen"),
    ];
    const before = [await b.head("a"), (await b.list()).objects.length];
    const file = await upload.complete([parts[2]!, parts[0]!]);
    const found = await b.get("a", { range: { offset: 5 * MiB - 2 } });
    return [
      before,
      parts.map(({ partNumber, etag }) => [partNumber, typeof etag]),
      [file.key, file.size, /^[0-9a-f]{32}-2$/.test(file.etag), file.checksums.toJSON()],
      [file.httpMetadata, file.customMetadata],
      found !== null && "text" in found && await found.text(),
      (await b.list()).objects.map(({ key }) => key),
    ];
  }, [
    [null, 0],
    [[2, "string"], [1, "string"], [1, "string"], [3, "string"]],
    ["a", 5 * MiB + 3, true, {}],
    [{ contentType: "text/plain" }, { by: "ada" }],
    "aabbb",
    ["a"],
  ]],
  ["uploads that have ended", async (b) => {
    const upload = await b.createMultipartUpload("a");
    const part = await upload.uploadPart(1, "x");
    await upload.complete([part]);
    const aborted = await b.createMultipartUpload("b");
    await aborted.uploadPart(1, "x");
    await aborted.abort();
    return [
      await said(() => upload.uploadPart(1, "x")),
      await said(() => upload.complete([part])),
      await said(() => aborted.uploadPart(1, "x")),
      await said(() => aborted.complete([])),
      await said(() => b.resumeMultipartUpload("b", "none").uploadPart(1, "x")),
      await said(() => b.resumeMultipartUpload("c", upload.uploadId).uploadPart(1, "x")),
      await said(() => aborted.abort()),
      (await b.list()).objects.map(({ key }) => key),
    ];
  }, [
    "uploadPart: The specified multipart upload does not exist. (10024)",
    "completeMultipartUpload: The specified multipart upload does not exist. (10024)",
    "uploadPart: The specified multipart upload does not exist. (10024)",
    "completeMultipartUpload: The specified multipart upload does not exist. (10024)",
    "uploadPart: The specified multipart upload does not exist. (10024)",
    "uploadPart: The specified multipart upload does not exist. (10024)",
    undefined,
    ["a"],
  ]],
  ["parts that make no object", async (b) => {
    const upload = await b.createMultipartUpload("a");
    const part = async (number: number, size: number) =>
      await upload.uploadPart(number, new Uint8Array(size));
    const [small, large, larger] = [
      await part(1, 9),
      await part(2, 5 * MiB),
      await part(3, 6 * MiB),
    ];
    return [
      await said(() => upload.complete([small, large])),
      await said(() => upload.complete([large, larger])),
      await said(() => upload.complete([{ ...small, etag: "other" }])),
      await said(() => upload.complete([{ partNumber: 4, etag: small.etag }])),
      await said(() => upload.uploadPart(0, "x")),
      await said(() => upload.uploadPart(10_001, "x")),
      await b.head("a"),
    ];
  }, [
    "completeMultipartUpload: Your proposed upload is smaller than the minimum allowed object size. (10011)",
    "completeMultipartUpload: There was a problem with the multipart upload. (10048)",
    "completeMultipartUpload: One or more of the specified parts could not be found. (10025)",
    "completeMultipartUpload: One or more of the specified parts could not be found. (10025)",
    "Part number must be between 1 and 10000 (inclusive). Actual value was: 0",
    "Part number must be between 1 and 10000 (inclusive). Actual value was: 10001",
    null,
  ]],
];
