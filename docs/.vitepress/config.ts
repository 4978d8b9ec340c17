import { slug } from "github-slugger"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type DefaultTheme, defineConfig } from "vitepress"

const docs = join(import.meta.dirname, "..")
const page = (name: string): DefaultTheme.SidebarItem => ({
  text: /^# (.+)$/m.exec(readFileSync(join(docs, `${name}.md`), "utf8"))?.[1] ?? name,
  link: `/${name}`
})
const group = (text: string, names: string): DefaultTheme.SidebarItem => ({
  text,
  items: names.split(" ").map(page)
})

const decisions = readdirSync(join(docs, "decisions")).filter((name) => /^\d/.test(name))

const sidebar = [
  group(
    "Programs",
    "first-message scripts errors send-once core journal telemetry runtimes examples"
  ),
  group("Assistants", "mcp hosts mcp-team mcp-reference"),
  group("Lists", "campaigns cli"),
  group("Tests", "testing languages sandbox"),
  group("Operators", "operation"),
  group("How it is made", "architecture benchmarks"),
  group("Decisions", decisions.map((name) => `decisions/${name.slice(0, -3)}`).join(" "))
]

const description = "An MCP server and a typed client that never resend an SMS silently"

/** The pages of the sidebar, for coding agents. */
const llms = [
  "# messaging-topup",
  `> ${description}`,
  ...sidebar.map(({ items = [], text }) =>
    [`## ${text}\n`, ...items.map((item) => `- [${item.text}](${item.link?.slice(1)}.html)`)].join(
      "\n"
    )
  )
].join("\n\n")

const { repository }: { readonly repository?: string } = JSON.parse(
  readFileSync(join(docs, "../package.json"), "utf8")
)

/** A link from a document to a file that is no page. While the repository has no address, it is text. */
const elsewhere = /^(?:\.\.\/)+(?=(?:\.ci|bench|examples|packages|scripts|test)\/|[A-Z]+\.md)/

/** A link from a document to the README of a package that is a page, too. */
const readme = /^(?:\.\.\/)+(?:packages\/)?(core|journal|cli|sandbox)\/README(?=\.md)/

/**
 * Colours have the contrast that WCAG asks for, and a line never ends within a flag. On a phone, most tables are as
 * narrow as the page: only the names in a first column stay whole.
 */
const style = `:root { --vp-code-lang-color: var(--vp-c-text-2); }
:root:not(.dark) { --vp-button-brand-bg: var(--vp-c-brand-2); }
.vp-doc code > .flag { white-space: nowrap; }
@media (max-width: 639px) {
  .vp-doc th, .vp-doc td { padding: 6px 8px; }
  .vp-doc td code { padding: 0; }
  .vp-doc td:not(:first-child) { min-width: 6.5em; }
  .vp-doc td:not(:first-child) code { overflow-wrap: anywhere; }
}`

// The default of this Vite version is for an older esbuild.
const target = "es2022"

export default defineConfig({
  title: "messaging-topup",
  description,
  head: [
    // Without one, a browser asks for /favicon.ico, which is not there.
    ["link", { rel: "icon", href: "data:," }],
    ["style", {}, style]
  ],
  // GitHub Pages serves a site below the name of its repository.
  base: process.env["DOCS_BASE"] ?? "/",
  outDir: "../node_modules/.cache/docs-site",
  cacheDir: "../node_modules/.cache/vitepress",
  // test/docs/Docs.test.ts checks all links.
  ignoreDeadLinks: true,
  buildEnd: ({ outDir }) => writeFileSync(join(outDir, "llms.txt"), `${llms}\n`),
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-default" },
    // The documents link to the headings as GitHub names them.
    anchor: { slugify: slug },
    // Otherwise `{message_id}` is read as attributes, and vanishes.
    attrs: { disable: true },
    config: (md) => {
      // Otherwise Vue reads `{{name}}` in a text as its own, and nothing is shown.
      const codeInline = md.renderer.rules.code_inline
      md.renderer.rules.code_inline = (tokens, index, ...rest) => {
        tokens[index]?.attrSet("v-pre", "")
        const html = codeInline?.(tokens, index, ...rest) ?? ""
        return html.replace(/(?<![\w-])--?[a-z][a-z-]*/g, '<span class="flag">$&</span>')
      }
      md.core.ruler.push("elsewhere", ({ tokens }) => {
        for (const { children } of tokens) {
          let isText = false
          for (const token of children ?? []) {
            // The list of examples and some READMEs are pages here, and stand in another folder there.
            const to = token
              .attrGet("href")
              ?.replace(/^(?:\.\.\/)+docs\//, "/")
              .replace(readme, "/$1")
            if (to !== undefined) token.attrSet("href", to)
            if (to !== undefined && elsewhere.test(to)) {
              isText = repository === undefined
              token.attrs = isText
                ? null
                : [["href", to.replace(elsewhere, `${repository}/blob/main/`)]]
            }
            if (isText && token.type.startsWith("link_")) token.tag = "span"
            if (token.type === "link_close") isText = false
          }
        }
      })
    }
  },
  themeConfig: {
    sidebar,
    socialLinks: repository === undefined ? [] : [{ icon: "github", link: repository }],
    search: { provider: "local" }
  },
  vite: { esbuild: { target }, optimizeDeps: { esbuildOptions: { target } }, build: { target } }
})
