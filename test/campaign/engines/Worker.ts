/**
 * Starts a worker of an engine: a program of `examples/engines/` in a separate process.
 */
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, spawn } from "node:child_process"
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { end } from "../support/Kills.ts"
import { urlOf } from "../support/Postgres.ts"

export type EngineName = "cluster" | "graphile-worker" | "pg-boss" | "workers"

const quickCluster = {
  HOST: "127.0.0.1",
  ENTITY_MESSAGE_POLL_INTERVAL: "500 millis",
  REFRESH_ASSIGNMENTS_INTERVAL: "1 second",
  RUNNER_HEALTH_CHECK_INTERVAL: "2 seconds",
  SHARD_LOCK_EXPIRATION: "5 seconds"
}

/** Waits until a worker has offered all slices: if it is killed earlier, the offer must be repeated. */
export const hasOffered = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    let printed = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString()
      if (printed.includes("offered:")) resume(Effect.void)
    })
  })

/** Starts a worker on the sandbox and the database. It is killed when the scope closes. */
export const startWorker = (
  engine: EngineName,
  place: { readonly database: number; readonly runner: number },
  ...args: ReadonlyArray<string>
) =>
  Effect.acquireRelease(
    Effect.map(Sandbox, ({ baseUrl, token }) => {
      const child = spawn(
        execPath,
        [
          fileURLToPath(new URL(`../../../examples/engines/${engine}.ts`, import.meta.url)),
          ...args
        ],
        {
          env: {
            PATH: process.env["PATH"],
            ...quickCluster,
            PORT: String(place.runner),
            DATABASE_URL: urlOf(place.database),
            MESSAGING_TOPUP_BASE_URL: baseUrl,
            MESSAGING_TOPUP_TOKEN: Redacted.value(token)
          },
          stdio: ["ignore", "pipe", "ignore"]
        }
      )
      // If the pipe is full, the worker blocks.
      child.stdout.resume()
      return child
    }),
    (child) => Effect.promise(() => end(child, "SIGKILL"))
  )
