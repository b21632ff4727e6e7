/**
 * Pictures of the built-in pages for the documentation: a small application with users and a team, seen in Chromium, light
 * and dark.
 *
 * @module
 */

import {
  accountPage,
  adminPage,
  createAuth,
  createMemoryStorage,
  createUser,
  defineRBAC,
  issueSession,
  pageTheme,
  passkey,
  passwords,
  secondFactor,
  setUserRoles,
  teamPage,
} from "@framework/auth";
import {
  addMember,
  createMemoryTenantMembers,
  createMemoryTenantStorage,
  defineTenancy,
} from "@framework/auth/tenant";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { findChromium } from "./chromium.ts";

/** A page that is shown. */
export interface Picture {
  /** Name of its files. */
  name: string;
  title: string;
  /** Text for people who do not see it. */
  description: string;
  path: string;
  /** User who looks at it. Default: nobody is signed in. */
  user?: string;
  /** Width and height of what is seen. Default: those of a window. */
  size?: { width: number; height: number };
}

/** The pages, in the order of the gallery. */
export const PICTURES: readonly Picture[] = [
  {
    name: "sign_in",
    title: "Sign-in",
    description:
      "The sign-in page: a passkey, or an email address and then the password, and the way to a new account.",
    path: "/auth/signin",
  },
  {
    name: "sign_in_phone",
    title: "Sign-in on a phone",
    description: "The sign-in page, as wide as a phone.",
    path: "/auth/signin",
    size: { width: 390, height: 720 },
  },
  {
    name: "sign_up",
    title: "Sign-up",
    description: "The page for a new account with name, email and password.",
    path: "/auth/signup",
  },
  {
    name: "account",
    title: "Account",
    description:
      "The account page: profile, password, passkeys, second factor, sessions and activity.",
    path: "/auth/account",
    user: "ada",
  },
  {
    name: "second_factor",
    title: "Second factor",
    description: "The page that sets up an authenticator app, with its QR code.",
    path: "/auth/second-factor/setup",
    user: "ada",
    size: { width: 960, height: 860 },
  },
  {
    name: "team",
    title: "Team",
    description: "The page of a team: members with their roles, and a form that invites somebody.",
    path: "/auth/team?team=acme",
    user: "ada",
  },
  {
    name: "admin",
    title: "Administration",
    description: "The list of users with a search, for administrators.",
    path: "/auth/admin",
    user: "ada",
  },
];

/** Colour schemes, which are the ends of the files' names. */
export const SCHEMES = ["light", "dark"] as const;

const WINDOW = { width: 960, height: 720 };

/** File of a picture below the folder of pictures. */
export function pictureFile({ name }: Picture, scheme: typeof SCHEMES[number]): string {
  return `${name}-${scheme}.png`;
}

/** Markdown of the gallery, with the light pictures. */
export function galleryText(): string {
  const parts = PICTURES.map((picture) =>
    `## ${picture.title}\n\n![${picture.description}](pictures/${pictureFile(picture, "light")})\n`
  );
  return "# Pictures\n\nThe built-in pages with a name and a colour, in the light or the dark of your system. They are taken " +
    "when this site is built. [Pages, mails and languages](docs/pages.md) says how yours look.\n\n" +
    parts.join("\n");
}

/** Gives each picture of the gallery its dark one, for systems that are dark, and its size. */
export function withSchemes(html: string): string {
  return PICTURES.reduce((page, picture) => {
    const { width, height } = picture.size ?? WINDOW;
    const light = `<img src="pictures/${pictureFile(picture, "light")}"`;
    const dark = `<source media="(prefers-color-scheme: dark)" srcset="pictures/${
      pictureFile(picture, "dark")
    }">`;
    return page.replace(
      new RegExp(`${light}[^>]*>`),
      (img) =>
        `<picture>${dark}${
          img.replace("<img", `<img width="${width}" height="${height}" loading="lazy"`)
        }</picture>`,
    );
  }, html);
}

const PEOPLE = [
  { id: "ada", name: "Ada Lovelace", email: "ada@example.com" },
  { id: "grace", name: "Grace Hopper", email: "grace@example.com" },
  { id: "margaret", name: "Margaret Hamilton", email: "margaret@example.com" },
  { id: "mary", name: "Mary Somerville", email: "mary@example.com" },
  { id: "hedy", name: "Hedy Lamarr", email: "hedy@example.com" },
];

/** Creates the application that is seen. */
function createApplication(origin: string) {
  const sendMail = (): void => {};
  const storage = createMemoryTenantStorage();
  const auth = createAuth({
    baseUrl: origin,
    database: createMemoryStorage(),
    secret: "a secret for pictures, which nobody keeps",
    cookies: { sessionToken: { hostOnly: true } },
    rateLimit: false,
    pages: { theme: pageTheme({ name: "Acme", colors: { brand: "#0f766e" } }) },
    rbac: defineRBAC({
      roles: [
        { id: "admin", name: "Administrator", permissions: ["*"] },
        { id: "support", name: "Support", permissions: ["users:read"] },
      ],
      teamRoles: [
        { id: "owner", name: "Owner", permissions: ["team:*"] },
        { id: "member", name: "Member", permissions: [] },
      ],
    }),
    tenancy: defineTenancy({ strategy: "path", storage, members: createMemoryTenantMembers() }),
    providers: [
      passwords({ sendMail }),
      passkey({ rpName: "Acme", rpId: "localhost", origin }),
      secondFactor({ sendMail }),
      accountPage(),
      teamPage({ sendMail, canCreate: true }),
      adminPage({ permission: "users:manage" }),
    ],
  });
  async function fill(): Promise<void> {
    const acme = await storage.create({ slug: "acme", name: "Acme Ltd" });
    await auth.run(new Request(`${origin}/`), {}, undefined, async () => {
      for (const person of PEOPLE) await createUser({ ...person, emailVerified: new Date() });
      await setUserRoles("ada", { roles: ["admin"] });
      await setUserRoles("grace", { roles: ["support"] });
      for (const { id } of PEOPLE.slice(0, 3)) {
        await addMember(id, { tenantId: acme.id, roles: [id === "ada" ? "owner" : "member"] });
      }
      return new Response();
    });
  }
  return { auth, fill };
}

/**
 * Takes all pictures.
 *
 * @param folder Absolute path of the folder that they are written into.
 * @returns False when there is no Chromium, and so no picture.
 * @throws {Error} When a page is not answered.
 */
export async function takePictures(folder: string): Promise<boolean> {
  const executablePath = await findChromium();
  if (executablePath === null) return false;
  await Deno.mkdir(folder, { recursive: true });
  let handler: (request: Request) => Promise<Response> = () => Promise.resolve(new Response());
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => handler(request),
  );
  const origin = `http://localhost:${server.addr.port}`;
  const { auth, fill } = createApplication(origin);
  handler = async (request) =>
    await auth.handle(request, {}) ?? new Response(null, { status: 404 });
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    await fill();
    for (const picture of PICTURES) {
      for (const scheme of SCHEMES) {
        const context = await openContext(browser, picture, scheme);
        if (picture.user !== undefined) {
          const { cookies } = await issueSession(auth, picture.user, {}, { origin });
          await signIn(context, cookies, origin);
        }
        const page = await context.newPage();
        const answer = await page.goto(origin + picture.path);
        if (!answer?.ok() || new URL(page.url()).pathname !== picture.path.split("?")[0]) {
          throw new Error(`${picture.path} answered ${answer?.status()} at ${page.url()}.`);
        }
        await page.screenshot({
          path: join(folder, pictureFile(picture, scheme)),
          timeout: 120_000,
        });
        await context.close();
      }
    }
  } finally {
    await browser.close();
    await server.shutdown();
  }
  return true;
}

function openContext(
  browser: Browser,
  { size = WINDOW }: Picture,
  colorScheme: typeof SCHEMES[number],
): Promise<BrowserContext> {
  return browser.newContext({ viewport: size, colorScheme, deviceScaleFactor: 1.5 });
}

/** Gives the browser the cookies of a session. */
async function signIn(
  context: BrowserContext,
  lines: readonly string[],
  origin: string,
): Promise<void> {
  await context.addCookies(lines.map((line) => {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    return { name: name!, value: value!, url: origin };
  }));
}
