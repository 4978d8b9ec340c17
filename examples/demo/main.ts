/**
 * Shows an assistant that uses the MCP server, then the calls of a program, then a campaign, on one sandbox. With
 * `--stay`, the sandbox and its inbox stay open at the end.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { argv, exit, stdout } from "node:process"
import { assistant } from "./assistant.ts"
import { calls, threeFailures } from "./calls.ts"
import { campaignSession } from "./campaign-session.ts"
import { heading, line } from "./terminal.ts"

const stay = argv.includes("--stay")

// A reader that closes the pipe ends the demo.
stdout.on("error", () => exit())

const tour = Effect.gen(function* () {
  const { baseUrl, token } = yield* Sandbox
  yield* Console.log(`The sandbox listens on ${baseUrl}; nothing is really sent.`)
  if (stay) yield* Console.log(`Watch in a browser: its inbox is at ${baseUrl}`)
  const settings = {
    MESSAGING_TOPUP_BASE_URL: baseUrl,
    MESSAGING_TOPUP_TOKEN: Redacted.value(token)
  }
  // In memory, because the sends of a demo do not belong in the user's file.
  yield* assistant(["--journal", "memory"], settings)
  yield* Effect.andThen(calls, threeFailures(baseUrl)).pipe(
    Effect.provide(
      Layer.provideMerge(MessagingTopup.layer({ baseUrl, token }), NodeTransport.layer)
    )
  )
  yield* campaignSession(baseUrl, settings)
  yield* heading("Next")
  yield* line("sandbox", "npx -y pnpm@12 messaging-topup sandbox, for programs in any language")
  yield* line("assistant", "docs/hosts.md has the block for your host")
  yield* line("program", "docs/first-message.md, with Effect or without")
  if (stay) {
    yield* Console.log(`\nThe inbox stays open at ${baseUrl}. Stop with Ctrl+C.`)
    return yield* Effect.never
  }
})

await Effect.runPromise(Effect.provide(tour, Sandbox.layer()))
