/**
 * What the decoding of a long response adds to its parsing.
 */
import * as Schema from "effect/Schema"
import { ask } from "./child.ts"
import { median, ratio, timingOf } from "./measure.ts"
import { atMost, type Row, type Section, targetColumns, times, verdict } from "./report.ts"

const maxRatio = 1.3

const decodeTimings = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ name: Schema.String, micros: Schema.Array(Schema.Finite) }))
)

const millis = (micros: ReadonlyArray<number>): string => (median(micros) / 1000).toFixed(1)

const row = async (name: string, mode: string): Promise<Row> => {
  const timings = decodeTimings(await ask(new URL("decodeRun.ts", import.meta.url), mode))
  const parse = timingOf(timings, "parse")
  const decode = timingOf(timings, "decode")
  const toParse = ratio(decode, parse)
  return [
    name,
    millis(parse.micros),
    millis(decode.micros),
    times(toParse),
    ...verdict(atMost(maxRatio, toParse, times))
  ]
}

export const decode = async (): Promise<Section> => ({
  title: "Decoding",
  text: `A response of \`listDataBundles\` with 10,000 bundles (1 MB): \`JSON.parse\`, and \`JSON.parse\` with
the public schema behind it. Effect reads a schema with its interpreter, unless a program imports
\`effect/schema/SchemaJITCompiler/enable\` first; that module is unstable and makes code from text, so core
leaves it to the program.`,
  columns: ["schema", "parse, ms", "parse and decode, ms", "ratio", ...targetColumns],
  rows: [await row("interpreted", "interpreted"), await row("compiled", "compiled")]
})
