/** Opens a journal in a thread, as far as it comes, and closes it again. Tells when it waits for a lock. */
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { parentPort } from "node:worker_threads"
import { noting, rewriting } from "../Statements.ts"

const [, , file = ""] = process.argv

const opened = Effect.scoped(Layer.build(Sqlite.layer(file)))

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread is not of a browser.
const tell = () => parentPort?.postMessage("blocked")

await Effect.runPromise(rewriting(noting(tell), Effect.ignore(opened)))
