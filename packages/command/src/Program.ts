/** A program: its commands, how each of them begins, and the exit code with which it ends. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Record from "effect/Record"
import { Invocation, type Invoked, note, print, type Signal } from "./Invocation.ts"
import type { general, Options, Values } from "./Option.ts"
import { onEndOfLauncher } from "./Launcher.ts"
import { type Given, parse, UsageError, type Variables } from "./Parse.ts"
import { makeTerminal } from "./Terminal.ts"

/** All exit codes, and what each of them means. */
const exits = {
  done: [0, "done, no failures"],
  failed: [1, "could not run, declined, or could not write its output"],
  usage: [2, "wrong usage"],
  notAllSent: [3, "rows were not sent, or it is unknown whether they were"],
  statusesUnread: [3, "with --statuses, a status could not be read"],
  stopped: [4, "stopped early, and says why"],
  SIGHUP: [129, "stopped by SIGHUP"],
  SIGINT: [130, "stopped by SIGINT"],
  SIGTERM: [143, "stopped by SIGTERM"]
} as const

/** How a program ends. */
export type Exit = keyof typeof exits

/** The exit code of each end. */
export const exitCodes: Readonly<Record<Exit, number>> = Record.map(exits, ([code]) => code)

/** The sentence of a help on exit codes. */
export const exitsHelp = (some: ReadonlyArray<Exit>): string =>
  `Exit codes: ${some.map((exit) => exits[exit].join(" ")).join("; ")}.`

/** Adds where the help is, in the same line. */
export const seeHelp = (command: string, { problem }: UsageError): UsageError =>
  new UsageError({ problem, command })

type Run<E> = Effect.Effect<number, E | UsageError, Invocation>

/** One command, with all that its arguments can mean. */
export interface Command<V, E> {
  /** As people type it: `messaging-topup run`. */
  readonly name: string
  readonly version: string
  readonly help: string
  readonly options: Options<V>
  readonly variables?: Variables | undefined
  /** Returns the exit code. */
  readonly run: (given: Given<V>) => Run<E>
}

/** Runs a command, unless its arguments ask for its help or the version: then nothing else is checked. */
export const start = Effect.fnUntraced(function* <V extends Values<typeof general>, E>(
  command: Command<V, E>,
  args: ReadonlyArray<string>
): Effect.fn.Return<number, E | UsageError, Invocation> {
  const { environment } = yield* Invocation
  const given = yield* Effect.mapError(parse(command, args, environment), (error) =>
    seeHelp(command.name, error)
  )
  const asksFor = (name: "help" | "version") => given.value(name)
  if (yield* asksFor("help")) yield* print(command.help)
  else if (yield* asksFor("version")) yield* print(command.version)
  else return yield* command.run(given)
  return exitCodes.done
})

/** Runs work until it ends. A signal interrupts it, and then `stopped` says how it ended. */
export const untilStopped = Effect.fnUntraced(function* <A, E, R, R2>(
  work: Effect.Effect<A, E, R>,
  stopped: (signal: Signal) => Effect.Effect<A, never, R2>
) {
  const { stop } = yield* Invocation
  const running = yield* Effect.forkChild(work)
  const ended = Effect.map(Fiber.await(running), (exit) => ({ _tag: "Ended", exit }) as const)
  const asked = Effect.map(stop, (signal) => ({ _tag: "Stopped", signal }) as const)
  const first = yield* Effect.raceFirst(ended, asked)
  if (first._tag === "Ended") return yield* first.exit
  const code = yield* stopped(first.signal)
  yield* Fiber.interrupt(running)
  return code
})

/** A program, and what it says of its failures. */
export interface Program<E> {
  readonly start: (args: ReadonlyArray<string>) => Run<E>
  readonly explain: (failure: E | UsageError) => { readonly exit: Exit; readonly text: string }
}

/** Only the name of a defect: its text can contain an SMS text. */
const nameOf = (defect: unknown): string => (defect instanceof Error ? defect.name : "unknown")

/** Runs a program, and returns the exit code. What modules log is a line on stderr. */
export const run = <E>(program: Program<E>, invoked: Invoked): Effect.Effect<number> => {
  const terminal = makeTerminal(invoked)
  const logger = Logger.make<unknown, void>(({ message }) => {
    const texts = [message].flat().filter((part) => typeof part === "string")
    terminal.log(texts.length > 0 ? texts.join(" ") : "A part of the program failed")
  })
  return program.start(invoked.args).pipe(
    Effect.catch((failure) => {
      const { exit, text } = program.explain(failure)
      return Effect.as(note(text), exitCodes[exit])
    }),
    Effect.catchDefect((defect) =>
      Effect.as(note(`The command failed (${nameOf(defect)})`), exitCodes.failed)
    ),
    Effect.provideService(Invocation, { ...invoked, terminal }),
    Effect.provideService(Logger.CurrentLoggers, new Set([logger]))
  )
}

/**
 * The first signal, or SIGTERM when npx, npm or pnpm that started the program has ended. A second one of the same kind, or of another
 * after this time, ends the process at once.
 */
const firstSignal = (
  environment: NodeJS.ProcessEnv,
  oneStopMillis: number
): Effect.Effect<Signal> => {
  const stop = Deferred.makeUnsafe<Signal>()
  let stoppedAt = 0
  const isFirst = (signal: Signal): boolean => {
    const isDone = Deferred.doneUnsafe(stop, Effect.succeed(signal))
    if (isDone) stoppedAt = performance.now()
    return isDone
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      const isLater = !isFirst(signal) && performance.now() - stoppedAt >= oneStopMillis
      if (isLater) process.kill(process.pid, signal)
    })
  }
  // Kernel and shell both send it when a terminal is closed, so a second one says nothing of a person.
  process.on("SIGHUP", () => isFirst("SIGHUP"))
  onEndOfLauncher(environment, () => isFirst("SIGTERM"))
  return Deferred.await(stop)
}

/** Runs a program until it ends, and sets the exit code. Two signals within `oneStopMillis` are one. */
export const runMain = <E>(program: Program<E>, oneStopMillis = 0): void => {
  // A reader such as `head` may close the pipe early, and a client may be gone. The program goes on.
  let lost: NodeJS.ErrnoException | undefined
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") lost ??= error
  })
  process.stderr.on("error", () => {})
  // Node ends a process that waits for nothing any more: without this, that would look like success.
  process.exitCode = exitCodes.stopped
  let isOver = false
  process.once("exit", (code) => {
    if (!isOver && code === exitCodes.stopped) {
      process.stderr.write("The command ended before its work did\n")
    }
    // A file of results that is cut looks like one that is whole.
    if (lost === undefined) return
    process.stderr.write(
      `The output could not be written (${lost.code}): a part is missing, which does not mean that nothing was sent\n`
    )
    if (process.exitCode === exitCodes.done) process.exitCode = exitCodes.failed
  })
  const fiber = Effect.runFork(
    run(program, {
      args: process.argv.slice(2),
      environment: process.env,
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      stop: firstSignal(process.env, oneStopMillis)
    })
  )
  fiber.addObserver((exit) => {
    isOver = true
    process.exitCode = exit._tag === "Success" ? exit.value : exitCodes.failed
  })
}
