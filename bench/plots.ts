/**
 * Draws the images of docs/benchmarks.md, light and dark, into docs/images/bench-*.svg: bars with their figures,
 * in panels side by side.
 */
import { writeFileSync } from "node:fs"
import { svgOf } from "./comparison/plot.js"
import { type Results, type Row, type SectionName, shown } from "./results.ts"

/** The colours for GitHub's light and dark backgrounds. */
const themes = {
  light: { text: "#1f2328", quietText: "#59636e", ours: "#0969da", other: "#afb8c1" },
  dark: { text: "#f0f6fc", quietText: "#9198a1", ours: "#4493f8", other: "#656c76" }
}

type Theme = (typeof themes)["light"]

interface Bar {
  readonly panel: string
  readonly name: string
  readonly value: number
}

interface Plot {
  readonly section: SectionName
  readonly width: number
  readonly barsOf: (row: Row) => ReadonlyArray<Bar>
}

const clients = ["core, maximum", "`fetch` + zod", "axios", "stripe", "telnyx", "twilio"]

const costs = { installed: "Installed, MB", packages: "Packages", importTime: "Import, ms" }

/** By the name of the image. */
const plots: Readonly<Record<string, Plot>> = {
  posts: {
    section: "wire",
    width: 130,
    barsOf: ({ labels: { fault = "" }, values }) =>
      fault === "connection refused"
        ? []
        : clients.map((name) => ({ panel: fault, name, value: values[name] ?? Number.NaN }))
  },
  call: {
    section: "call",
    width: 150,
    barsOf: ({
      labels: { atOnce, client = "", operation },
      values: { processor = Number.NaN }
    }) => [{ panel: `${operation}\n${atOnce} at once, CPU µs`, name: client, value: processor }]
  },
  own: {
    section: "own",
    width: 185,
    barsOf: ({ labels: { install = "" }, values }) =>
      // The rows that are no package have no size.
      Object.entries(costs).flatMap(([of, panel]) =>
        values["packages"] === undefined
          ? []
          : [{ panel, name: install, value: values[of] ?? Number.NaN }]
      )
  },
  mcp: {
    section: "mcpClients",
    width: 185,
    barsOf: ({ labels: { era, server = "" }, values: { clients: count, rate = Number.NaN } }) => [
      {
        panel: `Calls per second, ${era},\nclients: ${count}`,
        name: server,
        value: Math.round(rate)
      }
    ]
  }
}

/** Removes the backticks of Markdown. */
const plain = (name: string): string => name.replaceAll("`", "")

const panelOf = (title: string, bars: ReadonlyArray<Bar>, isFirst: boolean, theme: Theme) => {
  const values = bars.map(({ name, value }) => ({
    name: plain(name === "core, maximum" ? "this client" : name),
    value,
    figure: shown(value, undefined),
    colour: /^(core|ours)/.test(name) ? theme.ours : theme.other
  }))
  const axis = isFirst ? { title: null, domain: false, ticks: false, labelPadding: 6 } : null
  const y = { field: "name", type: "nominal", sort: null, axis }
  // Leaves space for the figure of the longest bar.
  const domain = [0, Math.max(...bars.map(({ value }) => value)) * 1.3]
  const x = { field: "value", type: "quantitative", axis: null, scale: { domain } }
  return {
    title: { text: plain(title).split("\n"), frame: "group" },
    height: { step: 22 },
    data: { values },
    layer: [
      {
        mark: { type: "bar", height: 15, cornerRadiusEnd: 2 },
        encoding: { x, y, color: { field: "colour", type: "nominal", scale: null } }
      },
      {
        mark: { type: "text", align: "left", dx: 4 },
        encoding: { x, y, text: { field: "figure" } }
      }
    ]
  }
}

/** The configuration of every plot. */
const configOf = ({ quietText, text }: Theme) => ({
  // The document has an alternative text for the image.
  aria: false,
  background: "transparent",
  font: "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif",
  padding: 8,
  view: { stroke: null },
  axis: { labelColor: quietText, labelFontSize: 12, labelLimit: 0 },
  axisY: { labelColor: text },
  title: { color: text, fontSize: 12, fontWeight: "bold", anchor: "start" },
  text: { color: text, fontSize: 11 }
})

export const drawPlots = async ({ sections }: Results): Promise<void> => {
  for (const [name, { barsOf, section, width }] of Object.entries(plots)) {
    const bars = (sections[section]?.rows ?? []).flatMap((row) => barsOf(row))
    const panels = [...Map.groupBy(bars, ({ panel }) => panel)]
    // More panels in a row would be too small to read in the document.
    const perRow = Math.ceil(panels.length / Math.ceil(panels.length / 4))
    const rows = panels.flatMap((_, at) =>
      at % perRow === 0 ? [panels.slice(at, at + perRow)] : []
    )
    for (const [scheme, theme] of Object.entries(themes)) {
      const svg = await svgOf({
        config: configOf(theme),
        spacing: 18,
        vconcat: rows.map((row) => ({
          spacing: 18,
          hconcat: row.map(([title, each], index) => ({
            ...panelOf(title, each, index === 0, theme),
            width
          }))
        }))
      })
      const file = new URL(`../docs/images/bench-${name}-${scheme}.svg`, import.meta.url)
      writeFileSync(file, `${svg}\n`)
    }
  }
}
