/** Opens a journal in PostgreSQL where the driver is not installed, and prints the error. */
import { layer } from "@messaging-topup/journal/open"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { registerHooks } from "node:module"

registerHooks({
  resolve: (name, context, next) => {
    if (name.startsWith("@effect/sql-pg")) throw new Error(`Cannot find package '${name}'`)
    return next(name, context)
  }
})

const url = "postgres://user:secret@127.0.0.1:1/nothing"
const error = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layer(url)))))
console.log(JSON.stringify({ ...error, message: error.message }))
