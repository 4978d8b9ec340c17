/**
 * The pages of the site are the documents of the repository. A link that works in the repository works on the site.
 */
import { slug } from "github-slugger"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig, type DefaultTheme, type MarkdownRenderer } from "vitepress"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** The first heading of a document. */
const titleOf = (path: string): string =>
  /^# (.+)$/m.exec(readFileSync(join(root, path), "utf8"))?.[1]?.replaceAll("`", "") ?? path

const page = (path: string): DefaultTheme.SidebarItem => ({
  text: titleOf(path),
  link: `/${path.replace(/(README)?\.md$/, "")}`
})

const decisions = readdirSync(join(root, "docs/decisions"))
  .filter((name) => /^\d/.test(name))
  .map((name) => page(`docs/decisions/${name}`))

const modules: ReadonlyArray<DefaultTheme.SidebarItem> = JSON.parse(
  readFileSync(join(root, "docs/reference/typedoc-sidebar.json"), "utf8")
)

/** In the order of use. The others follow. */
const firstModules = [
  "core",
  "core/node",
  "core/promise",
  "sandbox",
  "sandbox/promise",
  "journal",
  "campaign"
]

const orderOf = (text: string): number => {
  const index = firstModules.indexOf(text.replace("@messaging-topup/", ""))
  return index === -1 ? firstModules.length : index
}

/** Only the modules: the page of a module lists its exports. */
const reference = modules
  .map(({ link = "", text = "" }) => ({ link, text }))
  .toSorted((one, other) => orderOf(one.text) - orderOf(other.text))

type Token = ReturnType<MarkdownRenderer["parse"]>[number]

const guides = [
  "first-message",
  "scripts",
  "errors",
  "follow-status",
  "testing",
  "languages",
  "batches",
  "telemetry",
  "runtimes",
  "moving"
]

const sidebar: Array<DefaultTheme.SidebarItem> = [
  { text: "Guides", items: guides.map((name) => page(`docs/${name}.md`)) },
  {
    text: "Assistants",
    items: ["mcp", "hosts", "mcp-team", "mcp-reference"].map((name) => page(`docs/${name}.md`))
  },
  {
    text: "More packages",
    items: [
      page("docs/campaigns.md"),
      page("docs/engines.md"),
      page("docs/operation.md"),
      ...["core", "sandbox", "journal", "campaign"].map((name) =>
        page(`packages/${name}/README.md`)
      )
    ]
  },
  { text: "API reference", collapsed: true, items: reference },
  {
    text: "How it is made",
    items: [
      page("docs/architecture.md"),
      page("docs/benchmarks.md"),
      page("CONTRIBUTING.md"),
      { text: "Decisions", collapsed: true, items: decisions }
    ]
  }
]

const { repository }: { readonly repository: string } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8")
)

/**
 * The target of a link on the site. A file that is not a page gets its address in the repository, or undefined
 * while the repository's address is not set.
 */
const linkOf = (document: string, href: string): string | undefined => {
  const [to = "", ...anchor] = href.split("#")
  const target = resolve(dirname(document), decodeURI(to))
  if (!existsSync(target)) throw new Error(`${relative(root, document)} links to ${href}`)
  const file = statSync(target).isDirectory() ? join(target, "README.md") : target
  const path = relative(root, file)
  // A path that begins with a dot has settings, which are not pages.
  if (!path.endsWith(".md") || path.startsWith(".") || !existsSync(file)) {
    return repository === "" ? undefined : `${repository}/blob/main/${relative(root, target)}`
  }
  return [`/${path.replace(/README\.md$/, "")}`, ...anchor].join("#")
}

const isElsewhere = (href: string): boolean => /^(#|\/|[a-z]+:)/.test(href)

/** typedoc already makes the links of the reference for this site. */
const referenceFolder = join(root, "docs/reference")

const linkPages = (md: MarkdownRenderer): void => {
  md.core.ruler.push("link-pages", ({ env, tokens }) => {
    // A title of the first page is no document.
    const document: string | undefined = env.path
    if (document === undefined || document.startsWith(referenceFolder)) return
    for (const { children } of tokens) {
      const opened: Array<Token> = []
      for (const token of children ?? []) {
        if (token.type === "link_open") opened.push(token)
        const open = token.type === "link_close" ? opened.pop() : undefined
        const href = open?.attrGet("href")
        if (open === undefined || typeof href !== "string" || isElsewhere(href)) continue
        const link = linkOf(document, href)
        if (link === undefined) open.type = token.type = "text"
        else open.attrSet("href", link)
      }
    }
  })
}

const picture =
  /<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img alt="([^"]*)" src="([^"]+)">\s*<\/picture>/

/**
 * A picture of the documents follows the system. On the site, a reader can switch the theme of the page. On a phone
 * it scrolls, also with the keyboard.
 */
const followTheme = (md: MarkdownRenderer): void => {
  md.core.ruler.push("follow-theme", ({ tokens }) => {
    for (const token of tokens) {
      token.content = token.content.replace(
        picture,
        '<div class="picture" tabindex="0"><img class="light-only" alt="$2" src="$3"><img class="dark-only" alt="$2" src="$1"></div>'
      )
    }
  })
}

/** The mark of the inbox. */
const mark = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#0b6b52" d="M7 2h10a7 7 0 0 1 7 7v6a7 7 0 0 1-7 7H2a2 2 0 0 1-2-2V9a7 7 0 0 1 7-7Z"/><path stroke="#fff" stroke-width="2" stroke-linecap="round" d="M6 10h12M6 15h8"/></svg>'
)}`

/** A target that our esbuild supports. The default of this Vite version is for an older esbuild. */
const target = "es2022"

export default defineConfig({
  title: "messaging-topup",
  description: "An MCP server and a typed client that never resend an SMS silently",
  // GitHub Pages serves a site below the name of its repository.
  base: process.env["DOCS_BASE"] ?? "/",
  srcDir: "../..",
  // The site has its own first page.
  srcExclude: ["**/node_modules/**", "**/dist/**", "README.md", "tarballs/**"],
  outDir: "../../node_modules/.cache/docs-site",
  cacheDir: "../../node_modules/.cache/vitepress",
  rewrites: (path) =>
    path === "docs/site/index.md" ? "index.md" : path.replace(/README\.md$/, "index.md"),
  head: [["link", { rel: "icon", type: "image/svg+xml", href: mark }]],
  markdown: {
    anchor: { slugify: slug },
    // The colours of the default themes are too pale on the background of a block.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // Otherwise `{message_id}` is read as attributes, and vanishes.
    attrs: { disable: true },
    config: (md) => {
      linkPages(md)
      followTheme(md)
    }
  },
  themeConfig: {
    logo: mark,
    nav: [
      { text: "Guides", link: "/docs/first-message" },
      { text: "Assistants", link: "/docs/mcp" },
      { text: "Reference", link: "/docs/reference/@messaging-topup/core/" }
    ],
    sidebar,
    outline: [2, 3],
    socialLinks: repository === "" ? [] : [{ icon: "github", link: repository }],
    search: { provider: "local" }
  },
  vite: {
    esbuild: { target },
    optimizeDeps: { esbuildOptions: { target } },
    // The search index contains all pages.
    build: { target, chunkSizeWarningLimit: 4000 }
  }
})
