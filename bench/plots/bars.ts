/**
 * Bars with their figures, in panels side by side.
 */
import { shown } from "../report/figures.ts"
import { configOf, type Theme } from "./theme.ts"

interface Bar {
  readonly name: string
  readonly value: number
  readonly isOurs: boolean
}

export interface Panel {
  /** The lines of the title. */
  readonly title: ReadonlyArray<string>
  readonly bars: ReadonlyArray<Bar>
}

/** Removes the backticks of Markdown. */
export const plain = (name: string): string => name.replaceAll("`", "")

const panelOf = ({ bars, title }: Panel, isFirst: boolean, theme: Theme, width: number) => {
  const values = bars.map(({ isOurs, name, value }) => ({
    name: plain(name),
    value,
    figure: shown(value, undefined),
    isOurs
  }))
  const maximum = Math.max(...values.map(({ value }) => value))
  const y = {
    field: "name",
    type: "nominal",
    sort: null,
    axis: isFirst ? { title: null, domain: false, ticks: false, labelPadding: 6 } : null
  }
  // Leaves space for the figure of the longest bar.
  const x = {
    field: "value",
    type: "quantitative",
    axis: null,
    scale: { domain: [0, maximum * 1.3] }
  }
  return {
    title: { text: title, frame: "group" },
    width,
    height: { step: 22 },
    data: { values },
    layer: [
      {
        mark: { type: "bar", height: 15, cornerRadiusEnd: 2 },
        encoding: {
          x,
          y,
          color: {
            condition: { test: "datum.isOurs", value: theme.ours },
            value: theme.other
          }
        }
      },
      {
        mark: { type: "text", align: "left", dx: 4 },
        encoding: { x, y, text: { field: "figure" } }
      }
    ]
  }
}

export const panels = (all: ReadonlyArray<Panel>, theme: Theme, width: number): object => ({
  config: configOf(theme),
  spacing: 18,
  hconcat: all.map((panel, index) => panelOf(panel, index === 0, theme, width))
})
