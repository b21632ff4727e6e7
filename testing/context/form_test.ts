import assert from "node:assert/strict";
import { readForm } from "./form.ts";
import { readPage } from "./page.ts";
import { resolveAddress } from "./fetch.ts";

const PAGE = `<body><header>
  <form method="post" action="/auth/signout"><button>Sign out</button></form>
</header><main>
  <form method="post" id="comment"><input type="hidden" name="to" value="7"><textarea name="body"></textarea></form>
  <form method="post" action="/issues?/add"><input name="title" value="untitled"><textarea name="body"></textarea></form>
  <form class="search"><input name="q"><input name="page" value="2"></form>
</main></body>`;

// Tracks: AB-03
Deno.test("readForm() takes the first form that has the fields", () => {
  const added = readForm(PAGE, { title: "New", body: "text" });
  assert.equal(added.action, "/issues?/add");
  assert.equal(added.fields.toString(), "title=New&body=text");
  assert.equal(readForm(PAGE, { body: "hm" }).fields.toString(), "to=7&body=hm");
  assert.deepEqual(readForm(PAGE, { q: "bug" }).method, "GET");
  assert.equal(readForm(PAGE, {}).action, "/auth/signout");
});

Deno.test("readForm() takes the form that the selector names, and no other", () => {
  assert.equal(readForm(PAGE, { body: "hm" }, "form[action*=add]").action, "/issues?/add");
  assert.throws(() => readForm(PAGE, { title: "New" }, "#comment"), {
    code: "NO_FIELD",
    message: /"title", and the form "#comment" has no such field.*form#comment \(to, body\)/,
  });
});

// Tracks: AB-03
Deno.test("readForm() names the forms that there are, and the selector", () => {
  assert.throws(() => readForm(PAGE, { subject: "New", body: "text" }), (error: Error) => {
    assert.equal(Reflect.get(error, "code"), "NO_FIELD");
    assert.match(
      error.message,
      /"subject", "body", and no form of the page has these fields\. The page has: /,
    );
    for (
      const form of [
        'form[action="/auth/signout"] (no fields)',
        "form#comment (to, body)",
        'form[action="/issues?/add"] (title, body)',
        "form (q, page)",
        "submit(page, fields, selector)",
      ]
    ) assert.ok(error.message.includes(form), `${form} in ${error.message}`);
    return true;
  });
  assert.throws(() => readForm(PAGE, {}, "#missing"), {
    code: "NO_FORM",
    message: /no form that matches "#missing".*form#comment \(to, body\)/,
  });
});

Deno.test("readForm() sends of checkboxes what is checked, whatever form is left out", () => {
  const page = `<form><input name="a"></form>
    <form><input name="b"><input type="checkbox" name="c"><input type="checkbox" name="d" checked></form>`;
  assert.equal(readForm(page, { b: "1" }).fields.toString(), "b=1&d=on");
});

Deno.test("readForm() sends the value of the button that is named, and of no other", () => {
  const page = `<form id="state"><input type="hidden" name="id" value="7">
    <button name="state" value="closed">Close</button><button name="state" value="open">Reopen</button>
    <input type="submit" name="remove" value="yes"></form>`;
  assert.equal(readForm(page, {}).fields.toString(), "id=7");
  assert.equal(readForm(page, { state: "closed" }).fields.toString(), "id=7&state=closed");
  assert.equal(readForm(page, { remove: "yes" }).fields.toString(), "id=7&remove=yes");
});

// Tracks: AB-03
Deno.test("readPage() says that a body was read before, and by whom it was asked", async () => {
  const page = new Response("<p>hello</p>");
  assert.equal(await readPage(page, "render()"), "<p>hello</p>");
  await assert.rejects(readPage(page, "submit()"), {
    code: "BODY_READ",
    message: /^submit\(\) was given a response whose body has already been read.*clone\(\)/,
  });
});

Deno.test("resolveAddress() takes what begins with a slash for a path", () => {
  const origin = "https://app.example";
  for (
    const [path, address] of [
      ["//evil.example/x", "https://app.example//evil.example/x"],
      ["/\\evil.example/x", "https://app.example//evil.example/x"],
      ["\\\\evil.example/x", "https://app.example//evil.example/x"],
      ["/\t/evil.example", "https://app.example//evil.example"],
      ["/a/../b?c=//d#e", "https://app.example/b?c=//d#e"],
      ["a?b", "https://app.example/a?b"],
      ["?b", "https://app.example/?b"],
      ["", "https://app.example/"],
      ["https://other.example/x", "https://other.example/x"],
    ] as const
  ) assert.equal(resolveAddress(path, origin).href, address, path);
});

const UPLOAD = `<form method="post" enctype="multipart/form-data" action="/notes">
  <input name="title" value="Tea"><input type="file" name="picture"><input type="file" name="more" multiple>
</form><form method="post" id="named"><input type="file" name="scan"></form>`;

Deno.test("readForm() sends files as a browser does", async () => {
  const picture = new File(["png"], "tea.png", { type: "image/png" });
  const more = [new File(["1"], "1.txt"), new File(["2"], "2.txt")];
  const { fields } = readForm(UPLOAD, { picture, more });
  assert.ok(fields instanceof FormData);
  assert.deepEqual([...fields.keys()], ["title", "picture", "more", "more"]);
  const received = await new Request("http://localhost/", { method: "POST", body: fields })
    .formData();
  const file = received.get("picture") as File;
  assert.deepEqual([file.name, file.type, await file.text()], ["tea.png", "image/png", "png"]);
  assert.equal(received.get("title"), "Tea");

  const none = readForm(UPLOAD, { title: "No picture" }).fields.get("picture");
  assert.ok(none instanceof File && none.name === "" && none.size === 0);
  // Without the encoding a browser sends the name of a file alone.
  assert.equal(String(readForm(UPLOAD, {}, "#named").fields), "scan=");
  const rows: [Parameters<typeof readForm>[1], string | undefined, RegExp][] = [
    [{ scan: picture }, "#named", /"scan".*enctype="multipart\/form-data"/],
    [{ title: picture }, undefined, /"title", which is no <input type="file">/],
  ];
  for (const [typed, selector, message] of rows) {
    assert.throws(() => readForm(UPLOAD, typed, selector), { code: "NO_FILES", message });
  }
});
