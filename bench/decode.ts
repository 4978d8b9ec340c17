/**
 * What the decoding of a long response adds to its parsing.
 */
import * as Schema from "effect/Schema"
import { ask } from "./child.ts"
import { median, ratio, timingOf } from "./measure.ts"
import { atMost, type Row, type Section, targetColumns, times, verdict } from "./report.ts"

const maxCompiledRatio = 1.2

const decodeTimings = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      name: Schema.String,
      micros: Schema.Array(Schema.Finite),
      processorMicros: Schema.Array(Schema.Finite)
    })
  )
)

const millis = (micros: ReadonlyArray<number>): string => (median(micros) / 1000).toFixed(1)

const row = async (name: string, mode: string, maxRatio?: number): Promise<Row> => {
  const timings = decodeTimings(await ask(new URL("decodeRun.ts", import.meta.url), mode))
  const parse = timingOf(timings, "parse")
  const decode = timingOf(timings, "decode")
  const toParse = ratio(decode, parse)
  return [
    name,
    millis(parse.micros),
    millis(decode.micros),
    times(toParse),
    ...verdict(...(maxRatio === undefined ? [] : [atMost(maxRatio, toParse, times)]))
  ]
}

export const decode = async (): Promise<Section> => ({
  title: "Decoding",
  text: `A response of \`listDataBundles\` with 10,000 bundles (1 MB): \`JSON.parse\`, and \`JSON.parse\` with
the public schema behind it. On Node core compiles this one schema, where code generation is allowed;
elsewhere Effect's interpreter reads it.`,
  columns: ["schema", "parse, ms", "parse and decode, ms", "ratio", ...targetColumns],
  rows: [
    await row("compiled, as on Node", "compiled", maxCompiledRatio),
    await row("interpreted", "interpreted")
  ]
})
