/**
 * Checks all SMS of a call before anything is sent, and finds what the journal knows each of them by.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Identity, Rules } from "./Rules.ts"
import { checker } from "./Checks.ts"
import * as Digest from "./Digest.ts"
import * as Recipient from "./Recipient.ts"
import { problemOf, type RowProblem, rowsRefused, tooManyRows } from "./Refusals.ts"
import type { State } from "./State.ts"

/** An SMS that passed the checks. */
export interface PlannedSms {
  /** Its place in the call, from 1. */
  readonly number: number
  readonly request: SendSmsRequest
  readonly segments: number
  readonly key: string
  /** The digest of its recipient. */
  readonly recipient: string
}

export const make = (rules: Rules, service: string, use: State["Service"]["use"]) => {
  const digest = (parts: ReadonlyArray<string>) =>
    use((journal) => Effect.sync(() => journal.digest(parts)))

  /** The same for every spelling of a number. */
  const recipientDigest = (recipient: string) =>
    use((journal) => Effect.sync(() => journal.recipientDigest(Recipient.identity(recipient))))

  /** One problem of one SMS is its refusal; those of several are said together. */
  const plan = Effect.fnUntraced(function* (
    { principal }: Identity,
    requests: ReadonlyArray<SendSmsRequest>
  ) {
    const total = requests.length
    if (total > rules.maxBatch) return yield* tooManyRows(total, rules.maxBatch)
    const check = checker(rules)
    const planned: Array<PlannedSms> = []
    const problems: Array<RowProblem> = []
    const numberOf = new Map<string, number>()
    for (const [at, given] of requests.entries()) {
      const number = at + 1
      const checked = check(given)
      if (Result.isFailure(checked)) {
        if (total === 1) return yield* checked.failure
        const { option } = checked.failure
        const problem = problemOf(checked.failure)
        problems.push({ number, problem, ...(option === undefined ? {} : { option }) })
        continue
      }
      const { request, segments } = checked.success
      const key = yield* digest(Digest.partsOf(service, principal, request))
      const same = numberOf.get(key)
      if (same === undefined) {
        const recipient = yield* recipientDigest(request.recipient)
        numberOf.set(key, number)
        planned.push({ request, segments, number, key, recipient })
      } else problems.push({ number, problem: `it is the same SMS as row ${same}` })
    }
    return problems.length > 0 ? yield* rowsRefused(problems, total) : planned
  })

  /** The key of a call with several SMS, for the log. */
  const keyOf = (planned: ReadonlyArray<PlannedSms>) =>
    digest(["batch", ...planned.map(({ key }) => key)])

  return { plan, keyOf, recipientDigest }
}
