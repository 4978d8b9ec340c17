/**
 * Programs of this folder, each in a process of its own.
 */
import * as Schema from "effect/Schema"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const start = (program: URL, args: ReadonlyArray<string>): ChildProcess =>
  fork(fileURLToPath(program), args)

const firstMessage = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    child.once("message", resolve)
    child.once("exit", (code) => reject(new Error(`A child process ended with ${String(code)}`)))
  })

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  child.kill()
  await exit
}

const decodeAddress = Schema.decodeUnknownSync(Schema.Struct({ port: Schema.Int }))

/** Runs `use` with the URL of a server, which stands until it is through. */
export const withServer = async <A>(program: URL, use: (url: string) => Promise<A>): Promise<A> => {
  const child = start(program, [])
  try {
    const { port } = decodeAddress(await firstMessage(child))
    return await use(`http://127.0.0.1:${port}`)
  } finally {
    await stop(child)
  }
}

/** What a program says. */
export const ask = async (program: URL, ...args: ReadonlyArray<string>): Promise<unknown> => {
  const child = start(program, args)
  try {
    return await firstMessage(child)
  } finally {
    await stop(child)
  }
}
