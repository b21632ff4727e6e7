import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { buildPackages } from "../../scripts/npm.ts";
import { capture } from "../../scripts/run_command.ts";
import { type BillOfMaterials, billOfMaterials } from "../../scripts/sbom.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { linkNpmPackages } from "../support/npm_packages.ts";

const build = await buildPackages({ gate: false });
const bills: BillOfMaterials[] = [];
for (const packed of build.packages) bills.push(await billOfMaterials(packed, build));

/** The packages that npm installs with one, by its own list of dependencies. */
const DIRECT: Record<string, string[]> = Object.fromEntries(
  build.packages.map(({ manifest }) => [
    String(manifest.name),
    Object.keys((manifest.dependencies ?? {}) as object),
  ]),
);

const nameOf = ({ group, name }: { group?: string; name: string }) =>
  group === undefined ? name : `${group}/${name}`;

Deno.test("each bill of materials has every dependency of its package, each with a digest, a licence and what it needs itself", () => {
  assert.equal(bills.length, 3);
  for (const { metadata: { component }, components, dependencies } of bills) {
    const own = nameOf(component);
    const names = components.map(nameOf);
    for (const name of DIRECT[own]!) assert.ok(names.includes(name), `${own} without ${name}`);
    assert.equal(new Set(components.map(({ purl }) => purl)).size, components.length);
    const refs = new Set([component, ...components].map((one) => one["bom-ref"]));
    for (const { ref, dependsOn } of dependencies) {
      for (const one of [ref, ...dependsOn]) assert.ok(refs.has(one), one);
    }
    assert.equal(dependencies.length, refs.size);
    for (const { hashes, licenses, name } of components) {
      assert.ok(hashes.every(({ content }) => /^[0-9a-f]{64,128}$/.test(content)), name);
      const [license] = licenses;
      assert.doesNotMatch(JSON.stringify(license), /NOASSERTION|UNLICENSED|GPL/, name);
    }
  }
});

Deno.test("a bill names the very tarball, and the same source has the same bill", async () => {
  for (const [index, packed] of build.packages.entries()) {
    const digest = createHash("sha256").update(await Deno.readFile(packed.tarball)).digest("hex");
    const { metadata, serialNumber } = bills[index]!;
    assert.equal(metadata.component.hashes[0]!.content, digest);
    assert.match(
      serialNumber,
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    assert.deepEqual(await billOfMaterials(packed, build), bills[index]);
  }
});

Deno.test({
  name: "CycloneDX's own library finds every bill valid, and a broken one not",
  ignore: !nodeIsAvailable,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const modules = await linkNpmPackages({
      "@cyclonedx/cyclonedx-library": "10.3.0",
      ajv: "8.20.0",
      "ajv-formats": "3.0.1",
      "ajv-formats-draft2019": "1.6.1",
    });
    const program = `import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { readFileSync } from "node:fs";
const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
for (const bill of JSON.parse(readFileSync(0, "utf8"))) {
  console.log((await validator.validate(JSON.stringify(bill))) === null);
}`;
    const folder = join(modules, "..");
    const file = join(folder, "validate_bills.mjs");
    await Deno.writeTextFile(file, program);
    const input = join(folder, "bills.json");
    await Deno.writeTextFile(input, JSON.stringify([...bills, { ...bills[0], version: "one" }]));
    const { newest } = await findNodes();
    const { code, stdout, stderr } = await capture("sh", [
      "-c",
      `"${newest}" "${file}" < "${input}"`,
    ]);
    assert.equal(code, 0, stderr);
    assert.equal(stdout.trim(), "true\ntrue\ntrue\nfalse");
  },
});
