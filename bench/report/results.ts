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
  "bytes",
  "tokens",
  "×",
  "count",
  "calls per second",
  "rows per second",
  "clients",
  "connections",
  "packages"
])

export type Unit = typeof Unit.Type

export const Target = Schema.Struct({
  /** The name of the value. */
  of: Schema.String,
  is: Schema.Literals(["at most", "at least"]),
  limit: Schema.Finite,
  isMet: Schema.Boolean
})

export type Target = typeof Target.Type

export const Row = Schema.Struct({
  labels: Schema.Record(Schema.String, Schema.String),
  values: Schema.Record(Schema.String, Schema.Finite),
  targets: Schema.Array(Target)
})

export type Row = typeof Row.Type

export const Section = Schema.Struct({
  /** By the name of the value. */
  units: Schema.Record(Schema.String, Unit),
  rows: Schema.Array(Row)
})

export type Section = typeof Section.Type

const section = Schema.optionalKey(Section)

/** In the order of the document. A section is absent until it is measured. */
export const Sections = Schema.Struct({
  wire: section,
  call: section,
  campaign: section,
  decode: section,
  decodeSmall: section,
  many: section,
  growthBundles: section,
  growthRows: section,
  own: section,
  size: section,
  start: section,
  mcpStart: section,
  mcpList: section,
  mcpCall: section,
  mcpClients: section
})

/** The results of one benchmark. */
export type Sections = typeof Sections.Type

export type SectionName = keyof Sections

export const Results = Schema.Struct({
  /** The version of this format. */
  version: Schema.Literal(1),
  /** The machine of the last complete run. */
  machine: Schema.Struct({
    cores: Schema.Int,
    platform: Schema.String,
    versions: Schema.Record(Schema.String, Schema.String)
  }),
  sections: Sections
})

export type Results = typeof Results.Type

export const resultsFile = new URL("../results.json", import.meta.url)

export const readResults = (): Results =>
  Schema.decodeUnknownSync(Schema.fromJsonString(Results))(readFileSync(resultsFile, "utf8"))
