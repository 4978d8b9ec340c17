/**
 * The guards of the MCP server without tools and transports, for tests of their steps.
 */
import { MessagingTopup, MayStart } from "@messaging-topup/core"
import type { JournalError } from "@messaging-topup/journal"
import type { SendJournal } from "@messaging-topup/journal/internal"
import { monotonicMillis, Pending } from "@messaging-topup/mcp-server/src/send/Approval.ts"
import type { PersonChannel, Caller } from "@messaging-topup/mcp-server/src/send/Caller.ts"
import { InFlight } from "@messaging-topup/mcp-server/src/send/Dispatch.ts"
import type { Refusal } from "@messaging-topup/mcp-server/src/send/Refusal.ts"
import type { Rules } from "@messaging-topup/mcp-server/src/send/Rules.ts"
import { Sender } from "@messaging-topup/mcp-server/src/send/Sender.ts"
import { Journal } from "@messaging-topup/mcp-server/src/send/Journal.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect } from "vitest"

/** Every recipient is allowed, nobody is asked, and the limits are far away. */
export const openRules: Rules = {
  canSend: true,
  allowList: undefined,
  isSandbox: true,
  maxSegments: 10,
  maxBatch: 100,
  maxSendsPerHour: 1_000_000,
  confirm: "off",
  cards: true,
  webhookUrl: undefined
}

/** A caller of whom nobody can be asked. */
export const alone: Caller = { id: "local", person: undefined }

export const journalInMemory = Layer.provide(
  Journal.layer({ location: { _tag: "Memory" } }),
  Layer.mock(MessagingTopup, {})
)

/** The guards on a state. */
export const guardsOn = <E, R>(state: Layer.Layer<Journal, E, R>, rules: Rules = openRules) =>
  Sender.layer(rules).pipe(Layer.provide(InFlight.layer), Layer.provideMerge(state))

/** A process with the guards, on a journal and a service whose requests start at once. */
export const processOn = (
  journal: Layer.Layer<SendJournal, JournalError>,
  sendSms: MessagingTopup["Service"]["sendSms"],
  rules: Rules = openRules
) =>
  Layer.build(
    Layer.fresh(
      Layer.provideMerge(
        guardsOn(Journal.layer({ location: { _tag: "Memory" }, journal }), rules),
        Layer.mock(MessagingTopup, {
          timeoutMillis: 240_000,
          sendSms: (request) =>
            Effect.flatMap(MayStart, (onStart) => {
              onStart()
              return sendSms(request)
            })
        })
      )
    )
  )

/** Calls, and returns the caller whose person has approved what another process asked so long ago, by its clock. */
export const approvedCaller = (
  send: (caller: Caller) => Effect.Effect<unknown, Pending | Refusal>,
  millisAgo = 1000
): Effect.Effect<Caller> =>
  Effect.gen(function* () {
    let asked: unknown
    const person: PersonChannel = {
      action: undefined,
      repliedWhen: 0,
      seal: (question) => Effect.sync(() => String((asked = question))),
      sealed: undefined,
      unseal: () => Effect.die("nothing was decided")
    }
    expect(yield* Effect.flip(send({ ...alone, person }))).toBeInstanceOf(Pending)
    // Long enough ago for a person to read it.
    const unseal = () =>
      Effect.sync(() => ({
        ...(asked as object),
        askedAt: Date.now() - millisAgo
      }))
    const repliedWhen = yield* monotonicMillis
    const sealed = "another 0 sealed"
    return { ...alone, person: { ...person, action: "accept", repliedWhen, sealed, unseal } }
  }).pipe(Effect.orDie)
