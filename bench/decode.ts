/**
 * The time that the decoding of a response adds to its parsing, compared with well-known libraries.
 */
import * as Schema from "effect/Schema"
import { withWorker, type Worker } from "./child.ts"
import { alternate, type Contender, median, ratio, type Timing, timingOf } from "./measure.ts"
import type { Row, Section, Sections } from "./report/results.ts"
import { atMost, row } from "./report/rows.ts"

const maxCompiledRatio = 1.2

/** By the argument of decodeRun.ts, the name in the tables. */
const core = { compiled: "core, compiled, as on Node", interpreted: "core, interpreted" }
const others = ["zod", "valibot", "ajv", "typebox"]

const cost = Schema.decodeUnknownSync(
  Schema.Struct({ wall: Schema.Finite, processor: Schema.Finite })
)

type Libraries = ReadonlyArray<readonly [library: string, worker: Worker]>

/** Starts a process for each library, and runs `use` when all are ready. */
const withLibraries = <A>(
  [library, ...rest]: ReadonlyArray<string>,
  use: (libraries: Libraries) => Promise<A>,
  started: Libraries = []
): Promise<A> =>
  library === undefined
    ? use(started)
    : withWorker(new URL("decodeRun.ts", import.meta.url), [library], (worker) =>
        withLibraries(rest, use, [...started, [library, worker]])
      )

interface Load {
  readonly response: "long" | "small"
  readonly calls: number
  readonly turns: number
  /** The unit of the figures. */
  readonly unit: "µs" | "ms"
}

const nameOf = (library: string, does: string) => `${library} ${does}`

const measure = (libraries: Libraries, { calls, response, turns }: Load) =>
  alternate(
    libraries.flatMap(([library, worker]) =>
      ["parse", "decode"].map((does): Contender => ({
        name: nameOf(library, does),
        run: async () => cost(await worker.ask({ response, does, calls }))
      }))
    ),
    { calls, turns }
  )

const sectionOf = async (
  libraries: Libraries,
  load: Load,
  rowOf: (library: string, timings: ReadonlyArray<Timing>) => Row
): Promise<Section> => {
  const timings = await measure(libraries, load)
  return {
    units: { parse: load.unit, decode: load.unit, ratio: "×", coreToIt: "×" },
    rows: libraries.map(([library]) => rowOf(library, timings))
  }
}

const valuesOf = (library: string, timings: ReadonlyArray<Timing>, microsOfUnit: number) => {
  const parse = timingOf(timings, nameOf(library, "parse"))
  const decoded = timingOf(timings, nameOf(library, "decode"))
  return {
    parse: median(parse.micros) / microsOfUnit,
    decode: median(decoded.micros) / microsOfUnit,
    ratio: ratio(decoded, parse)
  }
}

const rowsOf =
  (reference: keyof typeof core, microsOfUnit: number, maxRatio?: number) =>
  (library: string, timings: ReadonlyArray<Timing>): Row => {
    const values = valuesOf(library, timings, microsOfUnit)
    if (library === "compiled" || library === "interpreted") {
      const isAsked = maxRatio !== undefined && library === reference
      return row(
        { library: core[library] },
        values,
        ...(isAsked ? [atMost("ratio", maxRatio)] : [])
      )
    }
    const coreToIt = ratio(
      timingOf(timings, nameOf(reference, "decode")),
      timingOf(timings, nameOf(library, "decode"))
    )
    return row({ library }, { ...values, coreToIt }, atMost("coreToIt", 1))
  }

export const decode = async (): Promise<Sections> => ({
  decode: await withLibraries([...Object.keys(core), ...others], (libraries) =>
    sectionOf(
      libraries,
      { response: "long", calls: 4, turns: 4, unit: "ms" },
      rowsOf("compiled", 1_000, maxCompiledRatio)
    )
  ),
  decodeSmall: await withLibraries(["interpreted", ...others], (libraries) =>
    sectionOf(
      libraries,
      { response: "small", calls: 10_000, turns: 2, unit: "µs" },
      rowsOf("interpreted", 1)
    )
  )
})
