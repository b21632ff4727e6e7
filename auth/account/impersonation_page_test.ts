import assert from "node:assert/strict";
import { ORIGIN } from "../tests/application.ts";
import { impersonationBanner } from "./impersonation.ts";
import { withPeople } from "../tests/impersonation_application.ts";

Deno.test("a note on every page says who acts, and stops it; programs read the same", () =>
  withPeople(async (application, { support }) => {
    const { send, within } = application;
    const acting = await application.act(support);
    for (const path of ["/account", "/admin", "/signout"]) {
      const page = await (await send(path, { cookie: acting })).text();
      assert.match(page, /You act for <bdi>reader<\/bdi> until/, path);
      assert.match(page, /action="\/auth\/impersonation\/end"/, path);
    }
    assert.match(await within(acting, impersonationBanner) ?? "", /You act for/);
    assert.equal(await within(support, impersonationBanner), null);
    const session = await (await send("/session", { cookie: acting })).json();
    assert.equal(session.user.id, "reader");
    assert.deepEqual(session.actor, { id: "support", name: "support" });
    const end = await send("/impersonation/end", { cookie: acting, fields: {} });
    assert.equal(end.headers.get("location"), `${ORIGIN}/auth/admin/user?id=reader`);
  }));

Deno.test("the page of a user offers it to who may, with a reason and a time", () =>
  withPeople(async (application, { support, owner }) => {
    const page = async (cookie: string, id: string) =>
      await (await application.send(`/admin/user?id=${id}`, { cookie })).text();
    assert.match(await page(support, "reader"), /Sign in as this user/);
    for (const id of ["owner", "support"]) {
      assert.doesNotMatch(await page(support, id), /Sign in as this user/, id);
    }
    assert.match(await page(owner, "editor"), /<option value="900">15 minutes<\/option>/);
  }));
