import { createContext, Suspense, useContext } from "hono/jsx";
import assert from "node:assert/strict";
import { render, within } from "./render.ts";
import type { Renderable } from "./to_html.ts";

function Form() {
  return (
    <form aria-label="Sign in">
      <label for="email">Email</label>
      <input id="email" type="email" placeholder="you@example.com" value="ada@example.com" />
      <label>
        Password <input type="password" name="password" />
      </label>
      <label for="terms">Terms</label>
      <input id="terms" type="checkbox" checked />
      <button type="submit" title="Go">Sign in</button>
      <button type="button" aria-label="Close dialog">×</button>
      <p hidden>
        <button type="button">Hidden</button>
      </p>
      <p style="visibility: hidden">
        <button type="button">Invisible</button>
      </p>
      <div data-testid="hint">
        Use a{"    "}long password
      </div>
      <img src="/logo.svg" alt="The logo" />
      <script>var text = "Use a script"</script>
    </form>
  );
}

Deno.test("render() finds elements by role and accessible name", async () => {
  const view = await render(<Form />);
  assert.equal(view.getByRole("form", { name: "Sign in" }).tagName, "FORM");
  assert.equal(view.getByRole("textbox", { name: "Email" }).id, "email");
  assert.equal(view.getByRole("checkbox", { checked: true }).id, "terms");
  assert.equal(view.getByRole("button", { name: "Close dialog" }).textContent, "×");
  assert.equal(view.getByRole("img", { name: /logo/i }).getAttribute("src"), "/logo.svg");
  assert.equal(view.getAllByRole("button").length, 2);
  assert.equal(view.getAllByRole("button", { hidden: true }).length, 4);
});

Deno.test("render() finds elements by label, text, test id and the other attributes", async () => {
  const view = await render(<Form />);
  assert.equal(view.getByLabelText("Email").id, "email");
  assert.equal(view.getByLabelText("Password").getAttribute("name"), "password");
  assert.equal(view.getByText("Use a long password").dataset["testid"], "hint");
  assert.equal(view.getByTestId("hint"), view.getByText(/^use a/i));
  assert.equal(view.getByPlaceholderText("you@example.com").id, "email");
  assert.equal(view.getByDisplayValue("ada@example.com").id, "email");
  assert.equal(view.getByAltText("The logo").tagName, "IMG");
  assert.equal(view.getByTitle("Go").textContent, "Sign in");
});

Deno.test("render() follows the rules for none and for several", async () => {
  const view = await render(<Form />);
  assert.equal(view.queryByText("nothing"), null);
  assert.deepEqual(view.queryAllByText("nothing"), []);
  assert.throws(
    () => view.getByText("nothing"),
    /Unable to find an element with the text: nothing/,
  );
  assert.throws(() => view.getByRole("button"), /Found multiple elements with the role "button"/);
  assert.throws(() => view.queryByRole("button"), /Found multiple elements/);
  assert.equal(view.queryByText("use a LONG password"), null);
  assert.ok(view.queryByText("LONG pass", { exact: false }));
});

Deno.test("within() looks at one element only", async () => {
  const view = await render(
    <ul>
      <li>
        <a href="/a">Edit</a>
      </li>
      <li>
        <a href="/b">Edit</a>
      </li>
    </ul>,
  );
  const [, second] = view.getAllByRole("listitem");
  assert.ok(second);
  assert.equal(within(second).getByRole("link", { name: "Edit" }).getAttribute("href"), "/b");
});

Deno.test("render() waits for asynchronous components, and passes contexts on", async () => {
  const Theme = createContext("light");
  async function Name() {
    await Promise.resolve();
    return <b>{useContext(Theme)}</b>;
  }
  const view = await render(
    <Theme.Provider value="dark">
      <Suspense fallback={<i>loading</i>}>
        <Name />
      </Suspense>
    </Theme.Provider>,
  );
  assert.ok(view.getByText("dark"));
});

Deno.test("render() escapes what a component is given, and runs no script", async () => {
  const view = await render(<p>{'<img alt="x"> & co'}</p>);
  assert.equal(view.getByText('<img alt="x"> & co').children.length, 0);
  assert.equal(view.queryByRole("img"), null);
  await render(<div dangerouslySetInnerHTML={{ __html: "<script>globalThis.ran = 1</script>" }} />);
  assert.equal(Reflect.get(globalThis, "ran"), undefined);
});

Deno.test("render() takes a whole document, and nothing at all", async () => {
  const view = await render(
    <html lang="en">
      <head>
        <title>Page</title>
      </head>
      <body>
        <h1>Hello</h1>
      </body>
    </html>,
  );
  assert.equal(view.document.title, "Page");
  assert.equal(view.container.innerHTML, "<h1>Hello</h1>");
  assert.equal((await render(false as unknown as Renderable)).container.innerHTML, "");
});

Deno.test("render() rejects with what a component throws, and refuses what is no JSX", async () => {
  function Broken(): never {
    throw new RangeError("broken");
  }
  await assert.rejects(async () => await render(<Broken />), { name: "RangeError" });
  for (const given of [{ type: "div" }, "<p>text</p>", 5]) {
    await assert.rejects(render(given as unknown as Renderable), { code: "NOT_RENDERABLE" });
  }
});

Deno.test("render() shows controls as a page shows them at first", async () => {
  const view = await render(
    <>
      <label>
        One{" "}
        <select>
          <option>a</option>
          <option selected>b</option>
        </select>
      </label>
      <label>
        None{" "}
        <select>
          <option>c</option>
          <option>d</option>
        </select>
      </label>
      <label>
        On <input type="radio" checked />
      </label>
      <label>
        Off <input type="radio" />
      </label>
      <textarea>text</textarea>
    </>,
  );
  const selected = view.getAllByRole("option", { selected: true });
  assert.deepEqual(selected.map((option) => option.textContent), ["b", "c"]);
  assert.equal(view.getByDisplayValue("b").tagName, "SELECT");
  assert.equal(view.getByRole("combobox", { name: /None/ }), view.getByDisplayValue("c"));
  assert.ok(view.getByRole("radio", { name: "On", checked: true }));
  assert.ok(view.getByRole("radio", { name: "Off", checked: false }));
  assert.equal(view.getByDisplayValue("text").tagName, "TEXTAREA");
});

Deno.test("render() reads a page that an application answered", async () => {
  const headers = { "content-type": "text/html" };
  const page =
    "<!DOCTYPE html><html><head><title>Items</title></head><body><h1>One</h1></body></html>";
  const view = await render(Promise.resolve(new Response(page, { headers })));
  assert.equal(view.getByRole("heading").textContent, "One");
  assert.equal(view.html, page);
});

Deno.test("render() says that a page was read before", async () => {
  const page = new Response("<h1>One</h1>");
  await render(page.clone());
  await render(page);
  await assert.rejects(render(page), { code: "BODY_READ", message: /^render\(\).*clone\(\)/ });
});
