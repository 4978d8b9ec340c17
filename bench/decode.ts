/**
 * The time that the decoding of a response adds to its parsing, compared with well-known libraries.
 */
import { GetSmsStatusResponse, ListDataBundlesResponse } from "@messaging-topup/core"
import { enable } from "effect/schema/SchemaJITCompiler"
import * as Schema from "effect/Schema"
import { decoders } from "./comparison/decoders.js"
import { alternate, median, ratio, timed, timingOf } from "./measure.ts"
import { atMost, type Row, row, type Sections } from "./results.ts"

interface Response {
  readonly name: string
  readonly example: object
  /** The first one is compared with the libraries. */
  readonly core: Readonly<Record<string, (value: unknown) => unknown>>
  readonly calls: number
}

const bundle = (index: number) => ({
  bundle_id: `bundle-${index}`,
  name: `Data bundle ${index}`,
  price: `${index}.00`,
  data_amount: `${index} MB`,
  validity: "30 days"
})

const status = {
  recipient: "+15550100",
  message_id: "bench-1",
  status: "SANDBOX_SENT",
  date_created: "2026-01-01T00:00:00.000Z",
  sender_id: "BENCH"
}

// A schema of its own with the same fields, because a schema that is enabled is compiled everywhere.
const Compiled = Schema.Struct({ ...ListDataBundlesResponse.fields })
enable(Compiled.ast)

const interpreted = "core, interpreted"
const compiled = "core, compiled, as on Node"
const maxCompiledRatio = 1.2

const responses: ReadonlyArray<Response> = [
  {
    name: "10,000 bundles",
    example: { category: Array.from({ length: 10_000 }, (_, index) => bundle(index)) },
    core: {
      [compiled]: Schema.decodeUnknownSync(Compiled),
      [interpreted]: Schema.decodeUnknownSync(ListDataBundlesResponse)
    },
    calls: 16
  },
  {
    name: "one status",
    example: { success: true, status: 200, message: "The status was retrieved", data: [status] },
    core: { [interpreted]: Schema.decodeUnknownSync(GetSmsStatusResponse) },
    calls: 20_000
  }
]

const rowsOf = async ({ calls, core, example, name }: Response): Promise<ReadonlyArray<Row>> => {
  const readers = { ...core }
  for (const [library, make] of Object.entries(decoders)) readers[library] = await make(example)
  const json = JSON.stringify(example)
  const timings = await alternate(
    Object.entries({ ...readers, "JSON.parse": (value: unknown) => value }).map(
      ([library, read]) => ({
        name: library,
        run: () =>
          timed(() => {
            for (let call = 0; call < calls; call++) read(JSON.parse(json))
            return Promise.resolve()
          })
      })
    ),
    { calls }
  )
  const parse = timingOf(timings, "JSON.parse")
  const [ours = ""] = Object.keys(core)
  return Object.keys(readers).map((library) => {
    const timing = timingOf(timings, library)
    const values = {
      parse: median(parse.micros),
      decode: median(timing.micros),
      ratio: ratio(timing, parse)
    }
    const labels = { response: name, library }
    if (library === compiled) return row(labels, values, atMost("ratio", maxCompiledRatio))
    if (library === interpreted) return row(labels, values)
    const coreToIt = ratio(timingOf(timings, ours), timing)
    return row(labels, { ...values, coreToIt }, atMost("coreToIt", 1))
  })
}

export const decode = async (): Promise<Sections> => {
  const rows = new Array<Row>()
  for (const response of responses) rows.push(...(await rowsOf(response)))
  return { decode: { units: { parse: "µs", decode: "µs", ratio: "×", coreToIt: "×" }, rows } }
}
