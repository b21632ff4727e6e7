declare namespace App {
  interface Locals extends import("@framework/auth/astro").AstroLocals {}
}
