/**
 * The format of results.json: named values with their units, their targets, and whether they meet them.
 * docs/benchmarks.md is rendered only from this file.
 */
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"

export const Unit = Schema.Literals([
  "µs",
  "ms",
  "s",
  "KiB",
  "MiB",
  "kB",
  "MB",
  "×",
  "count",
  "calls per second",
  "sends per second",
  "rows per second",
  "clients",
  "packages"
])

export type Unit = typeof Unit.Type

const Target = Schema.Struct({
  /** The name of the value. */
  of: Schema.String,
  is: Schema.Literals(["at most", "at least"]),
  limit: Schema.Finite,
  isMet: Schema.Boolean
})

type Target = typeof Target.Type

const Row = Schema.Struct({
  labels: Schema.Record(Schema.String, Schema.String),
  values: Schema.Record(Schema.String, Schema.Finite),
  targets: Schema.Array(Target)
})

export type Row = typeof Row.Type

const Section = Schema.Struct({
  /** By the name of the value. */
  units: Schema.Record(Schema.String, Unit),
  rows: Schema.Array(Row)
})

export type Section = typeof Section.Type

const section = Schema.optionalKey(Section)

/** In the order of the document. A section is absent until it is measured. */
const Sections = Schema.Struct({
  wire: section,
  call: section,
  campaign: section,
  growth: section,
  decode: section,
  own: section,
  size: section,
  mcpStart: section,
  mcpCall: section,
  mcpClients: section,
  mcpSends: section,
  mcpMemory: section
})

/** The results of one benchmark. */
export type Sections = typeof Sections.Type

export type SectionName = keyof Sections

export const Results = Schema.Struct({
  /** The machine and the versions of the last complete run. Without a date, so that a second run changes little. */
  machine: Schema.Struct({
    cores: Schema.Int,
    platform: Schema.String,
    versions: Schema.Record(Schema.String, Schema.String)
  }),
  sections: Sections
})

export type Results = typeof Results.Type

export const resultsFile = new URL("results.json", import.meta.url)

export const readResults = (): Results =>
  Schema.decodeUnknownSync(Schema.fromJsonString(Results))(readFileSync(resultsFile, "utf8"))

type Asked = Omit<Target, "isMet">

export const atMost = (of: string, limit: number): Asked => ({ of, is: "at most", limit })

export const atLeast = (of: string, limit: number): Asked => ({ of, is: "at least", limit })

export const reaches = ({ is, limit }: Asked, value: number): boolean =>
  is === "at most" ? value <= limit : value >= limit

/** Four digits are significant. The verdict uses the rounded figure. */
const rounded = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(4))

export const row = (
  labels: Row["labels"],
  values: Row["values"],
  ...asked: ReadonlyArray<Asked>
): Row => {
  const kept = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, rounded(value)])
  )
  const missing = Object.entries(kept).find(([, value]) => !Number.isFinite(value))
  if (missing !== undefined) throw new Error(`There is no figure of ${missing[0]}`)
  const targets = asked.map((target) => ({
    ...target,
    isMet: reaches(target, kept[target.of] ?? Number.NaN)
  }))
  return { labels, values: kept, targets }
}

const digitsOf = (value: number, unit: Unit | undefined): number => {
  if (unit === "×") return 2
  if (Number.isInteger(value) || Math.abs(value) >= 100) return 0
  return Math.abs(value) >= 10 ? 1 : 2
}

/** A figure as readers see it. */
export const shown = (value: number, unit: Unit | undefined): string => {
  const digits = digitsOf(value, unit)
  const text = value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits
  })
  return unit === "×" ? `${text}×` : text
}
