/**
 * Draws bars with their figures, in panels side by side, as SVG for a light and for a dark page.
 */
import { shown } from "./table.ts"

const themes = {
  light: { text: "#1f2328", ours: "#0969da", other: "#afb8c1" },
  dark: { text: "#f0f6fc", ours: "#4493f8", other: "#656c76" }
}

type Theme = (typeof themes)["light"]

interface Panel {
  readonly title: string
  readonly bars: ReadonlyArray<{
    readonly name: string
    readonly value: number
    readonly isOurs: boolean
  }>
}

const namesWidth = 200
const barsWidth = 240
const figureWidth = 60
const rowHeight = 22
const titleHeight = 30
const panelWidth = barsWidth + figureWidth

/** The names of the bars stand left of the first panel only. */
const panelOf = ({ bars, title }: Panel, at: number, theme: Theme): string => {
  const left = namesWidth + at * panelWidth
  const longest = Math.max(...bars.map(({ value }) => value))
  const text = (x: number, y: number, content: string, more = "") =>
    `<text x="${x}" y="${y}" fill="${theme.text}"${more}>${content}</text>`
  const rows = bars.map(({ isOurs, name, value }, index) => {
    const top = titleHeight + index * rowHeight
    const width = Math.round((value / longest) * barsWidth)
    const fill = isOurs ? theme.ours : theme.other
    const bar = `<rect x="${left}" y="${top + 3}" width="${width}" height="16" fill="${fill}"/>`
    const figure = text(left + width + 5, top + 15, shown(value, ""))
    const label = at === 0 ? text(left - 8, top + 15, name, ' text-anchor="end"') : ""
    return `${bar}\n${figure}\n${label}`
  })
  return [text(left, 18, title, ' font-weight="bold"'), ...rows].join("\n")
}

/** Returns the images, by the names of their files. All panels have the same bars. */
export const plotOf = (name: string, panels: ReadonlyArray<Panel>): ReadonlyMap<string, string> => {
  const width = namesWidth + panels.length * panelWidth
  const height = titleHeight + Math.max(...panels.map(({ bars }) => bars.length)) * rowHeight + 8
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`
  const font = 'font-family="system-ui, Segoe UI, Helvetica, Arial, sans-serif" font-size="12"'
  return new Map(
    Object.entries(themes).map(([scheme, theme]) => [
      `bench-${name}-${scheme}.svg`,
      [
        `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font}>`,
        ...panels.map((panel, at) => panelOf(panel, at, theme)),
        "</svg>\n"
      ].join("\n")
    ])
  )
}
