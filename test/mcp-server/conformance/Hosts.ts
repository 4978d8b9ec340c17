/**
 * The servers that the conformance suites test.
 */
import { startProcess } from "../support/ServerProcess.ts"
import { openTestHttpServer } from "../support/TestHttpServer.ts"
import { makeFixtureFactory } from "./FixtureServer.ts"

export interface Host extends AsyncDisposable {
  readonly url: string
}

const local = ["localhost", "127.0.0.1"]

/** The tools, resources and prompts that the suites call, behind our own HTTP server. */
export const fixtureHost = async (): Promise<Host> => {
  const { stopInTime, url } = await openTestHttpServer({
    factory: makeFixtureFactory,
    allowedHosts: local,
    allowedOrigins: local
  })
  return { url, [Symbol.asyncDispose]: stopInTime }
}

/** The server itself. It allows pages of this machine, because one scenario is such a page. */
export const ownHost = async (): Promise<Host> => {
  const args = ["--sandbox", "--http", "--port", "0", "--allowed-origins", local.join(",")]
  const server = startProcess(args)
  return {
    url: await server.url(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]()
  }
}
