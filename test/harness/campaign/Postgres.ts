/**
 * PostgreSQL for the tests of a file.
 */
import { afterAll, beforeAll } from "@effect/vitest"
import { noPostgres, type PostgresServer, startPostgres } from "../journal/PostgresServer.ts"

export const urlOf = (port: number) => `postgres://journal@127.0.0.1:${port}/postgres`

/** Starts a server for the tests of a file. Returns how a test uses it: without PostgreSQL it is skipped. */
export const postgres = () => {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    if (noPostgres === undefined) server = await startPostgres()
  })
  afterAll(() => server?.stop())
  return <A>(test: (server: PostgresServer) => A) =>
    (context: { readonly skip: (why?: string) => never }) =>
      server === undefined ? context.skip(noPostgres) : test(server)
}
