/**
 * Programs of this folder, each in its own process. They end with this one.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const nextMessage = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const ended = (code: number | null) => {
      reject(new Error(`A child process ended with ${String(code)}`))
    }
    child.once("exit", ended)
    child.once("message", (message: unknown) => {
      child.off("exit", ended)
      resolve(message)
    })
  })

/** Starts a program, and returns when it is ready. */
export const start = async (file: URL, args: ReadonlyArray<string>) => {
  const child = fork(fileURLToPath(file), args)
  return {
    /** Its first message. */
    first: await nextMessage(child),
    /** It executes one command after the other. */
    ask: (command: string | object) => {
      const response = nextMessage(child)
      child.send(command)
      return response
    },
    stop: async () => {
      const ended = once(child, "exit")
      child.kill()
      await ended
    }
  }
}

export type Program = Awaited<ReturnType<typeof start>>

export const stopAll = async (programs: ReadonlyArray<Pick<Program, "stop">>): Promise<void> => {
  await Promise.all(programs.map(({ stop }) => stop()))
}

/** Executes the commands of the parent. */
export const serveParent = (execute: (command: unknown) => Promise<unknown>): void => {
  process.on("message", (command) => {
    void execute(command).then((result) => process.send?.(result))
  })
  process.on("disconnect", () => process.exit(0))
  process.send?.("ready")
}

/** Starts `server.ts` with these delays. */
export const startServer = async (...delays: ReadonlyArray<number>) => {
  const { ask, first, stop } = await start(
    new URL("server.ts", import.meta.url),
    delays.map(String)
  )
  return {
    url: `http://127.0.0.1:${(first as { readonly port: number }).port}`,
    /** When the first request arrived, in milliseconds. */
    firstAt: async () => ((await ask("firstAt")) as { readonly firstAt: number }).firstAt,
    stop
  }
}
