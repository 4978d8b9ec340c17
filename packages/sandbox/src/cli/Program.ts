/**
 * Runs the command: parses the options, starts the sandbox, prints its address and waits for a
 * signal.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { versionOf } from "../command-line/index.ts"
import * as CommandLine from "./CommandLine.ts"
import * as StartupMessage from "./StartupMessage.ts"
import { lineWriter } from "./LineWriter.ts"
import type { StoredRequest } from "../record/Stored.ts"
import { requestLine } from "./RequestLine.ts"
import * as RunSandbox from "../server/RunSandbox.ts"

const printTo = (stream: NodeJS.WriteStream) => (text: string) =>
  Effect.sync(() => {
    stream.write(`${text}\n`)
  })

const print = printTo(process.stdout)
const printError = printTo(process.stderr)

const printStartupMessage = Effect.fnUntraced(function* (
  address: StartupMessage.Address,
  { json, sandbox }: Start
) {
  const warning = StartupMessage.warning(sandbox.host)
  if (warning !== undefined) yield* printError(json ? JSON.stringify({ warning }) : warning)
  yield* print(json ? StartupMessage.json(address) : StartupMessage.text(address, sandbox.host))
})

type Start = Extract<Effect.Success<ReturnType<typeof CommandLine.parse>>, { _tag: "Start" }>

/** The log of a sandbox. With `--json`, stdout is for the address and stderr for the log. */
const logOf = ({ json, quiet }: Start) => {
  if (quiet) return undefined
  const write = lineWriter(process.stderr, (dropped) =>
    json
      ? JSON.stringify({ dropped })
      : `${dropped} lines were dropped, because stderr was not read`
  )
  const line = requestLine(json ? "json" : "text")
  return (request: StoredRequest) => write(line(request))
}

const serve = Effect.fnUntraced(function* (start: Start) {
  const service = yield* RunSandbox.onServer(start.sandbox, logOf(start))
  yield* printStartupMessage(service, start)
  return yield* Effect.never
}, Effect.scoped)

const program = Effect.gen(function* () {
  const command = yield* CommandLine.parse(process.argv.slice(2))
  switch (command._tag) {
    case "Help":
      return yield* print(CommandLine.usage)
    case "Version":
      return yield* print(yield* versionOf(new URL("../../package.json", import.meta.url)))
    case "Outcomes":
      return yield* print(StartupMessage.outcomes)
    case "Start":
      return yield* serve(command)
  }
}).pipe(
  Effect.as(0),
  Effect.catchTags({
    UsageError: ({ problem }) =>
      Effect.as(printError(`${problem}\nSee messaging-topup-sandbox --help`), 2),
    SandboxStartError: (error) => Effect.as(printError(error.message), 1)
  })
)

// The sandbox keeps running if a program reads one line of stdout and closes the pipe.
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
  // Unread lines on stderr would keep the process running.
  if (process.stderr.writableLength > 0) process.exit()
})
