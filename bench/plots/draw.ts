/**
 * Draws the images of docs/benchmarks.md, light and dark, into docs/images/bench-*.svg.
 */
import { writeFileSync } from "node:fs"
import { svgOf } from "../comparison/plot.js"
import type { Results, Section } from "../report/results.ts"
import { call } from "./call.ts"
import { growth } from "./growth.ts"
import { mcp } from "./mcp.ts"
import { own } from "./own.ts"
import { posts } from "./posts.ts"
import { type Theme, themes } from "./theme.ts"

const of =
  (section: Section | undefined, plot: (section: Section, theme: Theme) => object) =>
  (theme: Theme) =>
    section && plot(section, theme)

const folder = new URL("../../docs/images/", import.meta.url)

export const drawPlots = async ({ sections }: Results): Promise<void> => {
  const plots = {
    posts: of(sections.wire, posts),
    call: of(sections.call, call),
    growth: (theme: Theme) => growth(sections, theme),
    own: of(sections.own, own),
    mcp: of(sections.mcpClients, mcp)
  }
  for (const [name, plot] of Object.entries(plots)) {
    for (const theme of themes) {
      const specification = plot(theme)
      if (specification === undefined) continue
      const svg = await svgOf(specification)
      writeFileSync(new URL(`bench-${name}-${theme.name}.svg`, folder), `${svg}\n`)
    }
  }
}
