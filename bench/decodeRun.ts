/**
 * Measures how long one library decodes responses, in its own process: `decodeRun.ts <library>`. Each
 * message selects a response, and whether to decode it or only to parse it.
 */
import { GetSmsStatusResponse, ListDataBundlesResponse } from "@messaging-topup/core"
import { enable } from "effect/schema/SchemaJITCompiler"
import * as Schema from "effect/Schema"
import { decoders } from "./comparison/decoders.js"
import { timed } from "./measure.ts"
import { bundles, oneStatus } from "./responses.ts"

const Command = Schema.Struct({
  response: Schema.Literals(["long", "small"]),
  does: Schema.Literals(["parse", "decode"]),
  calls: Schema.Int
})

const decodeCommand = Schema.decodeUnknownSync(Command)

const core = (isCompiled: boolean) => {
  if (isCompiled) enable(ListDataBundlesResponse.ast)
  return {
    long: Schema.decodeUnknownSync(ListDataBundlesResponse),
    small: Schema.decodeUnknownSync(GetSmsStatusResponse)
  }
}

const [library = ""] = process.argv.slice(2)
const make = decoders[library]
const decode = make === undefined ? core(library === "compiled") : await make()
const json = { long: bundles(10_000), small: oneStatus }

const run = ({ calls, does, response }: typeof Command.Type) =>
  timed(() => {
    const read = decode[response]
    const text = json[response]
    for (let call = 0; call < calls; call++) {
      if (does === "parse") JSON.parse(text)
      else read(JSON.parse(text))
    }
    return Promise.resolve()
  })

process.on("message", (message) => {
  void run(decodeCommand(message)).then((cost) => process.send?.(cost))
})

process.on("disconnect", () => process.exit(0))

process.send?.("ready")
