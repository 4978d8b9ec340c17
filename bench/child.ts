/**
 * Programs of this folder, each in its own process. They end with this one.
 */
import { fork } from "node:child_process"
import { once } from "node:events"

/** Starts a program, and returns when it is ready. */
export const start = async (file: URL, ...args: ReadonlyArray<number | string>) => {
  const child = fork(file, args.map(String), {
    // What a program writes must not get between the tables.
    stdio: ["ignore", 2, 2, "ipc"],
    execArgv: ["--no-deprecation"]
  })
  // Nobody catches it, because a benchmark without one of its programs has no figure.
  const fail = (code: number | null) => {
    throw new Error(`${file.href} ended with ${String(code)}`)
  }
  child.once("exit", fail)
  const nextMessage = async (): Promise<unknown> => (await once(child, "message"))[0]
  return {
    /** Its first message. */
    first: await nextMessage(),
    /** It executes one command after the other. */
    ask: (command: string | object) => {
      const response = nextMessage()
      child.send(command)
      return response
    },
    stop: async (signal?: NodeJS.Signals) => {
      child.off("exit", fail)
      const ended = once(child, "exit")
      child.kill(signal)
      await ended
    }
  }
}

export type Program = Awaited<ReturnType<typeof start>>

export const stopAll = async (programs: ReadonlyArray<Pick<Program, "stop">>): Promise<void> => {
  await Promise.all(programs.map(({ stop }) => stop()))
}

/** Executes the commands of the parent, after this first message. */
export const serveParent = (
  execute: (command: unknown) => Promise<unknown>,
  first = "ready"
): void => {
  process.on("message", (command) => {
    void execute(command).then((result) => process.send?.(result))
  })
  process.on("disconnect", () => process.exit(0))
  process.send?.(first)
}

/** Starts `server.ts` with these delays. */
export const startServer = async (...delays: ReadonlyArray<number>) => {
  const { ask, first, stop } = await start(new URL("server.ts", import.meta.url), ...delays)
  return {
    url: String(first),
    /** When the first request arrived, in milliseconds. */
    firstAt: async () => Number(await ask("firstAt")),
    stop
  }
}
