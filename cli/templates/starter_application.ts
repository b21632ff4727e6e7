import { agentFiles, editorFiles, templateFiles, type TemplateName } from "./small_applications.ts";

/** Values of the starter's placeholders. */
export interface StarterOptions {
  /** Name of the application and its worker; see {@linkcode applicationName}. */
  name: string;
  /** Version of the framework's packages. */
  version: string;
  /** Template of the application. Default: `full`. */
  template?: TemplateName;
  /** Adds settings for editors. Default: false. */
  editor?: boolean;
  /** Adds notes for programs that write code. Default: false. */
  agents?: boolean;
  /** Source of randomness for the secret. Default: `crypto.getRandomValues`. */
  randomBytes?: (length: number) => Uint8Array;
}

/**
 * The files of a new application: path to text.
 *
 * Where there are accounts, `.dev.vars` holds a secret that was generated for this application and is ignored by git.
 *
 * @param options Name, version, template, additions and source of randomness.
 */
export function starterApplication(options: StarterOptions): Record<string, string> {
  const randomBytes = options.randomBytes ??
    ((length) => crypto.getRandomValues(new Uint8Array(length)));
  const files: Record<string, string> = {};
  const { template = "full", editor = false, agents = false } = options;
  const texts = {
    ...templateFiles(template),
    ...(editor ? editorFiles : {}),
    ...(agents ? agentFiles : {}),
  };
  for (const [path, text] of Object.entries(texts)) {
    files[path] = text
      .replaceAll("{{name}}", options.name)
      .replaceAll("{{version}}", options.version);
  }
  if (template !== "full") return files;
  files[".dev.vars"] =
    "# Secrets for local work, made by `framework init`. Never commit this file.\n" +
    `AUTH_SECRET=${toHex(randomBytes(32))}\n` +
    "PASSKEY_DOMAIN=localhost\n";
  return files;
}

/**
 * Makes a name that npm and the platform accept from a folder's name: lower-case letters, digits and dashes,
 * at most 63.
 *
 * @param folder Name of the folder.
 */
export function applicationName(folder: string): string {
  const name = folder
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replace(/^-+|-+$/g, "");
  return name === "" ? "app" : name;
}

function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
