/** Addresses of what the browser loads, by the file of the application as in `app/page.tsx`. */
export interface AppAssets {
  /** For a client file its script first, and then what that imports. */
  scripts: Record<string, string[]>;
  /** For a page, layout or error page the stylesheets that it and its components import. */
  styles: Record<string, string[]>;
}

/** Folder of the addresses of built scripts and stylesheets. */
export const assetsFolder = "/_framework";

/** A file's name among the built scripts and stylesheets, without ending and fingerprint. */
export function assetName(file: string): string {
  return file.replace(/\.\w+$/, "").split(/[^A-Za-z0-9]+/).filter((part) => part !== "").join("-");
}
