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

/** Only the modules: the page of a module lists its exports. */
const reference = modules.map(({ link = "", text = "" }) => ({ link, text }))

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
  { text: "Assistants", items: ["mcp", "hosts"].map((name) => page(`docs/${name}.md`)) },
  {
    text: "More packages",
    items: [
      page("docs/campaigns.md"),
      page("docs/operation.md"),
      ...["sandbox", "journal", "campaign"].map((name) => page(`packages/${name}/README.md`))
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
    const document: string = env.path
    if (document.startsWith(referenceFolder)) return
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

/** A target that our esbuild supports. The default of this Vite version is for an older esbuild. */
const target = "es2022"

export default defineConfig({
  title: "messaging-topup",
  description: "An MCP server and a typed client that never resend an SMS silently",
  // GitHub Pages serves a site below the name of its repository.
  base: process.env["DOCS_BASE"] ?? "/",
  srcDir: "../..",
  srcExclude: ["**/node_modules/**", "**/dist/**", "docs/site/**", "tarballs/**"],
  outDir: "../../node_modules/.cache/docs-site",
  cacheDir: "../../node_modules/.cache/vitepress",
  rewrites: (path) => path.replace(/README\.md$/, "index.md"),
  markdown: { anchor: { slugify: slug }, config: linkPages },
  themeConfig: {
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
