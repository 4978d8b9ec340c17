/**
 * The time that the decoding of a response adds to its parsing, compared with well-known libraries.
 */
import {
  DataBundle,
  GetSmsStatusResponse,
  ListDataBundlesResponse,
  SmsStatusRecord
} from "@messaging-topup/core"
import { enable } from "effect/schema/SchemaJITCompiler"
import * as Schema from "effect/Schema"
import { decoders } from "./comparison/decoders.js"
import { alternate, median, processorRatio, timed, timingOf } from "./measure.ts"
import { atMost, type Row, row, type Sections } from "./results.ts"

interface Response {
  readonly name: string
  readonly example: object
  /** The first one is compared with the libraries. */
  readonly core: Readonly<Record<string, (value: unknown) => unknown>>
  readonly calls: number
  /** Relative to JSON.parse. */
  readonly maxRatio?: number
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

// Schemas of their own with the same fields, because a schema that is enabled is compiled everywhere.
const CompiledList = Schema.Struct({
  ...ListDataBundlesResponse.fields,
  category: Schema.Array(Schema.Struct({ ...DataBundle.fields }))
})
const CompiledStatus = Schema.Struct({
  ...GetSmsStatusResponse.fields,
  data: Schema.Array(Schema.Struct({ ...SmsStatusRecord.fields }))
})
for (const { ast } of [CompiledList, CompiledStatus]) enable(ast)

const interpreted = "core, interpreted"
const compiled = "core, compiled, as on Node"

const responses: ReadonlyArray<Response> = [
  ...[10_000, 100_000].map((count) => ({
    name: `${count.toLocaleString("en")} bundles`,
    example: { category: Array.from({ length: count }, (_, index) => bundle(index)) },
    core: {
      [compiled]: Schema.decodeUnknownSync(CompiledList),
      [interpreted]: Schema.decodeUnknownSync(ListDataBundlesResponse)
    },
    calls: 100_000 / count,
    maxRatio: 1.5
  })),
  {
    name: "one status",
    example: { success: true, status: 200, message: "The status was retrieved", data: [status] },
    core: {
      [compiled]: Schema.decodeUnknownSync(CompiledStatus),
      [interpreted]: Schema.decodeUnknownSync(GetSmsStatusResponse)
    },
    calls: 20_000
  }
]

/** Relative to a library. zod reads a short response in about a microsecond. */
const maxToIt = ({ maxRatio }: Response, library: string): number =>
  library === "zod" && maxRatio === undefined ? 1.05 : 1

const rowsOf = async (response: Response): Promise<ReadonlyArray<Row>> => {
  const { calls, core, example, maxRatio, name } = response
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
      parse: median(parse.processorMicros),
      decode: median(timing.processorMicros),
      ratio: processorRatio(timing, parse)
    }
    const labels = { response: name, library }
    if (library === compiled && maxRatio !== undefined) {
      return row(labels, values, atMost("ratio", maxRatio))
    }
    if (Object.hasOwn(core, library)) return row(labels, values)
    const coreToIt = processorRatio(timingOf(timings, ours), timing)
    return row(labels, { ...values, coreToIt }, atMost("coreToIt", maxToIt(response, library)))
  })
}

export const decode = async (): Promise<Sections> => {
  const rows = new Array<Row>()
  for (const response of responses) rows.push(...(await rowsOf(response)))
  return { decode: { units: { parse: "µs", decode: "µs", ratio: "×", coreToIt: "×" }, rows } }
}
