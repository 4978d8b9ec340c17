/** An approval knows its call: PostgreSQL loses the answer to a commit, or the connection anywhere else. */
import { describe, expect, it } from "@effect/vitest"
import { SendJournal } from "@messaging-topup/journal/internal"
import { layer } from "@messaging-topup/journal/open"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { postgres, type PostgresServer, urlOf } from "../harness/journal/PostgresServer.ts"
import {
  atCommitOf,
  type Cut,
  postgresProxy,
  type PostgresProxy
} from "../harness/journal/PostgresProxy.ts"
import { tryToClaim } from "../harness/journal/conformance/ServerTests.ts"
import { approve, type Modern, resultOf, serve, speakModern } from "../harness/mcp/GuardedServer.ts"

const onPostgres = postgres()

/** Runs a test against PostgreSQL behind a proxy. */
const behindProxy = <A, E>(
  use: (proxy: PostgresProxy, server: PostgresServer) => Effect.Effect<A, E>
) =>
  onPostgres((server) =>
    Effect.runPromise(
      Effect.scoped(Effect.flatMap(postgresProxy(server.port), (proxy) => use(proxy, server)))
    )
  )

const sides: ReadonlyArray<Cut> = ["before", "after"]

const redeeming = "approval (nonce"

/** A nonce that no other test has. */
const newApproval = () => ({ nonce: crypto.randomUUID(), validFor: Duration.hours(1) })

const open = (port: number) => Layer.fresh(layer(urlOf(port)))

describe("a connection that breaks at any statement of a redemption", () => {
  it(
    "does not take the approval from its call, and gives it to no other",
    behindProxy((proxy, server) =>
      Effect.gen(function* () {
        const another = yield* Layer.build(open(server.port))
        const redeemElsewhere = (approval: ReturnType<typeof newApproval>) =>
          Effect.provideContext(
            Effect.flatMap(SendJournal, (journal) => journal.server.redeem(approval, "declined")),
            another
          )
        const { server: sends } = yield* SendJournal
        const redeemBroken = Effect.fnUntraced(function* (nth: number, where: Cut) {
          const approval = newApproval()
          const before = proxy.cuts()
          proxy.cut((_, earlier) =>
            proxy.cuts() === before && earlier.length === nth ? where : undefined
          )
          const redeemed = yield* sends.redeem(approval, "approved")
          proxy.cut(undefined)
          expect(redeemed, `${where} ${nth}`).toBeUndefined()
          expect(yield* sends.redeem(approval, "approved")).toBe("approved")
          expect(yield* redeemElsewhere(approval)).toBe("approved")
          return proxy.cuts() > before
        })
        for (const where of sides) {
          let nth = 0
          while (yield* redeemBroken(nth, where)) nth += 1
          // It begins, is made ready, forgets old ones, redeems, writes its token and commits.
          expect(nth).toBe(6)
        }
      }).pipe(Effect.provide(open(proxy.port)), Effect.scoped)
    )
  )

  it(
    "of a single SMS that the limit refuses says that the limit is reached",
    behindProxy((proxy) =>
      Effect.gen(function* () {
        for (const where of sides) {
          const approval = newApproval()
          proxy.cut(atCommitOf(redeeming, where))
          expect(yield* tryToClaim(where, { approval, maxPerHour: 0 })).toMatchObject({
            refusal: { _tag: "LimitReached" }
          })
          expect(yield* tryToClaim("other", { approval })).toMatchObject({
            refusal: { _tag: "ApprovalUsed", usedAs: "approved" }
          })
        }
        expect(proxy.cuts()).toBe(2)
      }).pipe(Effect.provide(open(proxy.port)))
    )
  )
})

const recipients = ["+254700000001", "+254700000002", "+254700000003"]

describe("a person approves a batch, and the connection to PostgreSQL breaks at the commit:", () => {
  const connect = (port: number) =>
    serve("stdio", [], { MESSAGING_TOPUP_JOURNAL: urlOf(port) }, speakModern)

  /** Approves it. Returns what sends it again with the same approval. */
  const approved = async (modern: Modern, args: object) => {
    const call = { name: "send_sms_batch", arguments: args }
    const { requestState } = await modern.request(call)
    const round = { ...call, requestState, inputResponses: { confirm: approve } }
    return async () => resultOf(await modern.request(round))
  }

  for (const where of sides) {
    it(
      `it goes out once, ${where} it`,
      behindProxy((proxy) =>
        Effect.promise(async () => {
          await using server = await connect(proxy.port)
          const send = await approved(server, { message: `Cut ${where}`, recipients })
          proxy.cut(atCommitOf(redeeming, where))
          expect((await send()).structured).toMatchObject({ sent: 3, approved_by: "person" })
          expect(proxy.cuts()).toBe(1)
          expect(await server.sent()).toBe(3)
          // What was sent is told first.
          expect((await send()).structured).toMatchObject({ sent: 3 })
          expect(await server.sent()).toBe(3)
        })
      )
    )
  }

  it(
    "longer than it is retried, it is used up, and nothing is known to have been sent",
    behindProxy((proxy) =>
      Effect.promise(async () => {
        await using server = await connect(proxy.port)
        const send = await approved(server, { message: "Away", recipients })
        proxy.cut(atCommitOf(redeeming, "after"), true)
        expect((await send()).error).toMatchObject({ code: "journal_unavailable" })
        proxy.comeBack()
        expect((await send()).error).toMatchObject({ code: "approval_used" })
        expect(await server.sent()).toBe(0)
      })
    )
  )
})
