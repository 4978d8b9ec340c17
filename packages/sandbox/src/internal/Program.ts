/**
 * Runs the command: parses, starts, prints, waits for a signal.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { Sandbox } from "../Sandbox.ts"
import * as CommandLine from "./CommandLine.ts"
import * as Greeting from "./Greeting.ts"

const printTo = (stream: NodeJS.WriteStream) => (text: string) =>
  Effect.sync(() => {
    stream.write(`${text}\n`)
  })

const print = printTo(process.stdout)
const printError = printTo(process.stderr)

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

const version = Effect.suspend(() =>
  Schema.decodeEffect(Manifest)(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8")
  )
).pipe(
  Effect.map((manifest) => manifest.version),
  Effect.orDie
)

const greet = Effect.fnUntraced(function* (json: boolean, host: string) {
  const sandbox = yield* Sandbox
  const warning = Greeting.warning(host)
  if (warning !== undefined) yield* printError(warning)
  yield* print(json ? Greeting.json(sandbox) : Greeting.text(sandbox))
})

const program = Effect.gen(function* () {
  const command = yield* CommandLine.parse(process.argv.slice(2))
  switch (command._tag) {
    case "Help":
      return yield* print(CommandLine.usage)
    case "Version":
      return yield* print(yield* version)
    case "Start":
      return yield* Layer.effectDiscard(greet(command.json, command.sandbox.host)).pipe(
        Layer.provide(Sandbox.layer(command.sandbox)),
        Layer.launch
      )
  }
}).pipe(
  Effect.as(0),
  Effect.catchTags({
    BadOption: (error) => Effect.as(printError(error.message), 2),
    SandboxStartError: (error) => Effect.as(printError(error.message), 1)
  })
)

// A reader that takes one line and closes the pipe is no reason to stop.
process.stdout.on("error", () => {})

const fiber = Effect.runFork(program)
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => fiber.interruptUnsafe())

fiber.addObserver((exit) => {
  if (Exit.isSuccess(exit)) {
    process.exitCode = exit.value
  } else if (!Cause.hasInterruptsOnly(exit.cause)) {
    process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
    process.exitCode = 1
  }
})
