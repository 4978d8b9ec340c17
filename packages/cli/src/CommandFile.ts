/** What each file of `commands/` has: one command, with its options, help, exit codes and run. */
import {
  type AnyOptions,
  type Exit,
  exitCodes,
  exitsHelp,
  type general,
  helpOf,
  helpOfGroups,
  Invocation,
  note,
  type Options,
  seeHelp,
  type Signal,
  signals,
  start,
  untilStopped,
  type Values,
  type Variables
} from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import manifest from "../package.json" with { type: "json" }
import type { CommandError } from "./CommandError.ts"

export const program = "messaging-topup"

export const { version } = manifest

type Run = Effect.Effect<number, CommandError, Invocation>

/** One command; its name, and what it is for, stand in the table of the commands. */
interface CommandFile<V> {
  /** The arguments, as the help shows them. */
  readonly usage: string
  /** Sentences of its own help, after what the command is for. */
  readonly details?: string
  /** The end of its own help. */
  readonly appendix?: string
  readonly options: Options<V>
  /** The same options as the help shows them, by the titles of their groups. */
  readonly groups?: Readonly<Record<string, AnyOptions>>
  readonly variables?: Variables
  /** Besides those of every command. */
  readonly exits?: ReadonlyArray<Exit>
  /** Returns the exit code. */
  readonly run: (flags: V) => Run
}

/** A command, whatever its options are. */
export interface Command {
  readonly options: AnyOptions
  readonly start: (name: string, about: string, args: ReadonlyArray<string>) => Run
}

export const commandOf = <V extends Values<typeof general>>({
  appendix,
  details,
  exits = [],
  groups,
  options,
  run,
  usage,
  variables
}: CommandFile<V>): Command => ({
  options,
  start: (word, about, args) => {
    const name = `${program} ${word}`
    const help = [
      `Usage: ${name} ${usage}`,
      [`${about}.`, details].filter((part) => part !== undefined).join(" "),
      groups === undefined ? helpOf(options) : helpOfGroups(groups),
      ...(appendix === undefined ? [] : [appendix]),
      exitsHelp(["done", "failed", "usage", ...exits])
    ].join("\n\n")
    return start(
      {
        name,
        version,
        help,
        options,
        variables,
        run: ({ values }) =>
          Effect.flatMap(
            Effect.mapError(values, (error) => seeHelp(name, error)),
            run
          )
      },
      args
    )
  }
})

/** Asks, unless `--yes` answers. Returns whether a person agrees; if not, it says that nothing has happened. */
export const agreed = Effect.fnUntraced(function* (
  question: string,
  { yes }: { readonly yes: boolean },
  otherwise: string
) {
  const { terminal } = yield* Invocation
  if (yes || (yield* terminal.confirm(question))) return true
  yield* note(otherwise)
  return false
})

/** Says something because a signal has come. Returns the exit code of the signal. */
export const stopped = (signal: Signal, says: string) => Effect.as(note(says), exitCodes[signal])

/** The same, while the requests in flight end. */
export const stopping = (signal: Signal) =>
  stopped(
    signal,
    `Stopping: waiting for the SMS that are on their way, and for the journal to store what became of them. ${signal === "SIGINT" ? "Ctrl+C again" : "A second signal"} ends the process at once`
  )

/** A command without requests, which a signal stops. What it writes in the journal, it writes whole. */
export const stoppable = <V extends Values<typeof general>>({
  exits = [],
  run,
  ...file
}: CommandFile<V>): Command =>
  commandOf({
    ...file,
    exits: [...exits, ...signals],
    run: (flags) => untilStopped(run(flags), (signal) => stopped(signal, "Stopping"))
  })
