/** What each file of `commands/` declares: one command, with its options, help, exit codes and run. */
import {
  type Exit,
  exitCodes,
  exitsHelp,
  type general,
  helpOf,
  type Invocation,
  note,
  type Options,
  seeHelp,
  type Signal,
  start,
  type Subcommand,
  untilStopped,
  type Values,
  type Variables
} from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import manifest from "../package.json" with { type: "json" }
import type { Failure } from "./Failure.ts"

export const program = "messaging-topup"

export const { version } = manifest

interface Declared<V> {
  readonly name: string
  /** The arguments, as the help shows them. */
  readonly usage: string
  /** Sentences of its own help, after what the command is for. */
  readonly details?: string
  /** The end of its own help. */
  readonly appendix?: string
  readonly options: Options<V>
  readonly variables?: Variables
  readonly exits: ReadonlyArray<Exit>
  /** Returns the exit code. */
  readonly run: (flags: V) => Effect.Effect<number, Failure, Invocation>
}

/** The way to start a command, once its table of commands has said what the command is for. */
export type CommandFile = (
  about: string
) => (args: ReadonlyArray<string>) => Effect.Effect<number, Failure, Invocation>

export const declare =
  <V extends Values<typeof general>>(declared: Declared<V>): CommandFile =>
  (about) => {
    const { appendix, details, exits, options, run, usage, variables } = declared
    const name = `${program} ${declared.name}`
    const help = [
      `Usage: ${name} ${usage}`,
      [`${about}.`, ...(details === undefined ? [] : [details])].join(" "),
      helpOf(options),
      ...(appendix === undefined ? [] : [appendix]),
      exitsHelp(exits)
    ].join("\n\n")
    return (args) =>
      start(
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

/** Makes a subcommand of its file. */
export const subcommand = (
  about: string,
  load: () => Promise<{ readonly command: CommandFile }>
): Subcommand<Failure> => ({ about, load: () => load().then((file) => file.command(about)) })

/** Every command that is not a server can end so. */
export const worked = ["done", "failed", "usage"] as const satisfies ReadonlyArray<Exit>
export const signalled = ["SIGHUP", "SIGINT", "SIGTERM"] as const satisfies ReadonlyArray<Signal>

/** Says that a signal has come, while the requests in flight end. Returns the exit code of the signal. */
export const stopping = (signal: Signal) =>
  Effect.as(
    note(
      "Stopping: waiting for the requests in flight, and for the journal to store their outcomes. A second signal ends the process at once"
    ),
    exitCodes[signal]
  )

/** For work that a signal stops cleanly: requests in flight end, and their outcomes are stored. */
export const stoppable = <R>(work: Effect.Effect<number, Failure, R>) =>
  untilStopped(work, stopping)
