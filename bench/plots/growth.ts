/**
 * Time and memory per item, by the number of items. A flat line is best.
 */
import type { Results, Row, Section } from "../report/results.ts"
import { configOf, type Theme } from "./theme.ts"

interface Curve {
  readonly title: string
  readonly unit: string
  /** The counts of all rows, so that both panels of a subject have the same axis. */
  readonly counts: ReadonlyArray<number>
  readonly points: ReadonlyArray<{ readonly count: number; readonly value: number }>
}

const pointsOf = (rows: ReadonlyArray<Row>, count: string, value: string) =>
  rows.flatMap(({ values }) => {
    const [x, y] = [values[count], values[value]]
    return x === undefined || y === undefined ? [] : [{ count: x, value: y }]
  })

const curvesOf = (what: string, { rows }: Section, count: string, memory: string) => {
  const counts = rows.map(({ values }) => values[count] ?? Number.NaN)
  return [
    { title: `${what}, µs`, unit: "µs", counts, points: pointsOf(rows, count, "time") },
    { title: `${what}, KiB`, unit: "KiB", counts, points: pointsOf(rows, count, memory) }
  ]
}

/** The decades that contain these values. At least three, so that a flat line looks flat. */
const decadesOf = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(Math.ceil(Math.log10(Math.max(...values))), low + 2)
  return Array.from({ length: high - low + 1 }, (_, index) => Number(`1e${low + index}`))
}

const shortNumber =
  "datum.value >= 1e6 ? '1M' : datum.value >= 1e3 ? datum.value / 1e3 + 'k' : datum.value"

/** A log axis with a tick at each decade. */
const axisOf = (decades: ReadonlyArray<number>, grid: boolean) => ({
  title: null,
  grid,
  values: decades,
  labelExpr: shortNumber
})

const curve = ({ counts: all, points, title }: Curve, theme: Theme): object => {
  const counts = decadesOf(all)
  const decades = decadesOf(points.map(({ value }) => value))
  return {
    title: { text: title, frame: "group" },
    width: 205,
    height: 110,
    data: { values: points },
    mark: {
      type: "line",
      color: theme.ours,
      strokeWidth: 2,
      point: { color: theme.ours, size: 40 }
    },
    encoding: {
      x: {
        field: "count",
        type: "quantitative",
        scale: { type: "log", domain: [counts.at(0), counts.at(-1)], nice: false },
        axis: axisOf(counts, false)
      },
      y: {
        field: "value",
        type: "quantitative",
        scale: { type: "log", domain: [decades.at(0), decades.at(-1)], nice: false },
        axis: axisOf(decades, true)
      }
    }
  }
}

export const growth = ({ growthBundles, growthRows, many }: Results["sections"], theme: Theme) => {
  if (many === undefined || growthBundles === undefined || growthRows === undefined)
    return undefined
  const curves = [
    ...curvesOf("Per call, by calls at once", many, "calls", "memory"),
    ...curvesOf("Per bundle of a response", growthBundles, "bundles", "memory"),
    ...curvesOf("Per row of a campaign", growthRows, "rows", "memoryPerRow")
  ]
  // The first line has the times, the second one the memory.
  const lines = Map.groupBy(curves, ({ unit }) => unit)
  return {
    config: configOf(theme),
    columns: 3,
    spacing: 24,
    concat: [...lines.values()].flat().map((each) => curve(each, theme))
  }
}
