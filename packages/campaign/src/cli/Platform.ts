/**
 * The platform services that `effect/cli` requires. The command uses only its streams: `effect/cli` reads
 * no file and asks no question here, so the other services are unused.
 */
import type * as Command from "effect/cli/Command"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import { Console as NodeConsole } from "node:console"
import { Invocation } from "./Invocation.ts"
import { note, print } from "./Output.ts"

const unused = Effect.die("not used")

const terminal = Terminal.make({
  columns: Effect.succeed(80),
  rows: Effect.succeed(24),
  size: unused,
  readInput: unused,
  readLine: unused,
  display: () => Effect.void
})

const stdio = Stdio.make({
  args: Effect.succeed([]),
  stdout: () => Sink.drain,
  stderr: () => Sink.drain,
  stdin: Stream.empty
})

/** Prints errors on stderr, in one line, and help on stdout. */
const presenter = Effect.gen(function* () {
  const { environment, stdout } = yield* Invocation
  const invocation = yield* Effect.context<Invocation>()
  const formatter = CliOutput.defaultFormatter({
    colors: stdout.isTTY === true && (environment["NO_COLOR"] ?? "") === ""
  })
  const present: CliOutput.Presenter["present"] = (event) => {
    switch (event._tag) {
      case "Help":
        return Effect.provide(print(formatter.formatHelpDoc(event.helpDoc)), invocation)
      case "Version":
        return Effect.provide(print(event.version), invocation)
      case "InvalidInvocation": {
        const [first] = event.errors
        const problem = (first?.message ?? "").replaceAll(/\s*\n\s*/g, " ")
        const text = `${problem}. See ${event.commandPath.join(" ")} --help`
        return Effect.provide(note(text), invocation)
      }
    }
  }
  return { present }
})

export const layer: Layer.Layer<Command.Environment, never, Invocation> = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Layer.succeed(Terminal.Terminal, terminal),
  Layer.succeed(Stdio.Stdio, stdio),
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() => unused)
  ),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  Layer.unwrap(Effect.map(presenter, CliOutput.layerPresenter)),
  Layer.unwrap(
    Effect.map(Invocation, ({ stderr, stdout }) =>
      Layer.succeed(Console.Console, new NodeConsole(stdout, stderr))
    )
  )
)
