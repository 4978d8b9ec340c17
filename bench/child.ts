/**
 * Runs programs of this folder, each in its own process.
 */
import * as Schema from "effect/Schema"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const start = (program: URL, args: ReadonlyArray<string>): ChildProcess =>
  fork(fileURLToPath(program), args)

const firstMessage = (child: ChildProcess): Promise<unknown> =>
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

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  child.kill()
  await exit
}

const decodeAddress = Schema.decodeUnknownSync(Schema.Struct({ port: Schema.Int }))

/** A program that executes one command after the other. */
export interface Worker {
  readonly ask: (command: unknown) => Promise<unknown>
}

/** Starts a worker, and runs `use` when the worker is ready. */
export const withWorker = async <A>(
  program: URL,
  args: ReadonlyArray<string>,
  use: (worker: Worker) => Promise<A>
): Promise<A> => {
  const child = start(program, args)
  try {
    await firstMessage(child)
    return await use({
      ask: (command) => {
        const response = firstMessage(child)
        child.send(Object(command) === command ? Object(command) : String(command))
        return response
      }
    })
  } finally {
    await stop(child)
  }
}

/** Runs `use` with the URL of a server, and stops the server afterwards. */
export const withServer = async <A>(
  program: URL,
  use: (url: string) => Promise<A>,
  ...args: ReadonlyArray<string>
): Promise<A> => {
  const child = start(program, args)
  try {
    const { port } = decodeAddress(await firstMessage(child))
    return await use(`http://127.0.0.1:${port}`)
  } finally {
    await stop(child)
  }
}

/** Runs a program, and returns its first message. */
export const ask = async (program: URL, ...args: ReadonlyArray<string>): Promise<unknown> => {
  const child = start(program, args)
  try {
    return await firstMessage(child)
  } finally {
    await stop(child)
  }
}
