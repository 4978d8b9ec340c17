/**
 * Runs programs that talk to this one, each in its own process.
 */
import * as Schema from "effect/Schema"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

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

const withChild = async <A>(
  program: URL,
  args: ReadonlyArray<string>,
  use: (child: ChildProcess, message: unknown) => Promise<A>
): Promise<A> => {
  const child = fork(fileURLToPath(program), args)
  try {
    return await use(child, await firstMessage(child))
  } finally {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill()
      await once(child, "exit")
    }
  }
}

/** A program that executes one command after the other. */
export interface Worker {
  readonly name: string
  readonly ask: (command: string | object) => Promise<unknown>
}

export interface WorkerOptions {
  readonly name: string
  readonly args: ReadonlyArray<string>
}

/** Starts a worker for each of these, and runs `use` when all are ready. */
export const withWorkers = <A>(
  program: URL,
  [first, ...others]: ReadonlyArray<WorkerOptions>,
  use: (workers: ReadonlyArray<Worker>) => Promise<A>
): Promise<A> => {
  if (first === undefined) return use([])
  const { args, name } = first
  return withChild(program, args, (child) => {
    const ask = (command: string | object) => {
      const response = firstMessage(child)
      child.send(command)
      return response
    }
    return withWorkers(program, others, (workers) => use([{ name, ask }, ...workers]))
  })
}

/** For programs that execute the commands of a parent. */
export const serveParent = (execute: (command: unknown) => Promise<unknown>): void => {
  process.on("message", (command) => {
    void execute(command).then((result) => process.send?.(result))
  })
  process.on("disconnect", () => process.exit(0))
  process.send?.("ready")
}

const decodeAddress = Schema.decodeUnknownSync(Schema.Struct({ port: Schema.Int }))

/** Runs `use` with the URL of a server, and stops the server afterwards. */
export const withServer = <A>(
  program: URL,
  use: (url: string) => Promise<A>,
  ...args: ReadonlyArray<string>
): Promise<A> =>
  withChild(program, args, (_, address) => use(`http://127.0.0.1:${decodeAddress(address).port}`))
