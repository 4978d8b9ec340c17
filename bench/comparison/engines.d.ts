/** Sends what was not sent before, and returns what it says of each key when nothing is in flight. */
export type Send = (keys: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>

interface Work {
  /** The URL of a PostgreSQL database, and the name of a schema in it. */
  readonly database: string
  readonly schema: string
  /** Sends the SMS of a key. */
  readonly send: (key: string) => Promise<void>
  /** More settings of the queue. */
  readonly settings: object
}

export const engines: Readonly<Record<"dbos" | "pgBoss", (work: Work) => Promise<Send>>>
