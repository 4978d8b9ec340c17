/** Which recipients force an outcome. The outcomes are in `transcripts/responses.txt`. */
import { describe, expect, it } from "@effect/vitest"
import { documentedErrors } from "@messaging-topup/core"
import { forcedOutcomes, Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { outcomesOf } from "../../packages/sandbox/src/service/Outcomes.ts"
import { runs } from "../harness/Runs.ts"
import { sandboxTest, send, sms } from "../harness/sandbox/Client.ts"

describe("a recipient", () => {
  const suffixes = forcedOutcomes.map(({ suffix }) => suffix)

  sandboxTest("is accepted, whatever its ending, unless the number is fictional", function* () {
    const digits = fc.stringMatching(/^[2-9]\d{6,9}$/)
    const end = fc.constantFrom(...suffixes, "7", "")
    const number = fc.tuple(fc.constantFrom("+", "00", "", "+1 (212) "), digits, end)
    const recipients = fc.sample(number, runs(2000)).map((parts) => parts.join(""))
    // Without a plus, the country is not known. Two numbers are not one fictional number.
    recipients.push("15550000402", "0015550000402", "+2547,+15550000402", "+1555 Ann 0402")
    const { messages } = yield* Sandbox
    const statuses = yield* Effect.forEach(
      recipients,
      (recipient) => Effect.map(send({ ...sms, recipient }), ({ status }) => status),
      { concurrency: 20 }
    )
    expect(recipients.filter((_, index) => statuses[index] !== 202)).toEqual([])
    expect(yield* messages()).toHaveLength(recipients.length)
  })

  sandboxTest("loses one response only, as a send that a person repeats", function* () {
    const { messages, reset } = yield* Sandbox
    const one = { ...sms, recipient: "+15550000905" }
    const spelled = { ...sms, recipient: "+1 555 000-0905" }
    const other = { ...sms, recipient: "+15551110905" }
    for (const fields of [one, other]) yield* Effect.flip(send(fields))
    for (const fields of [one, spelled, other]) expect((yield* send(fields)).status).toBe(202)
    expect(yield* messages()).toHaveLength(5)
    yield* reset
    yield* Effect.flip(send(spelled))
    yield* reset
    // Without a plus it forces nothing, but it is the same number: the next SMS to it is not the first.
    expect((yield* send({ ...sms, recipient: "001 555 000-0905" })).status).toBe(202)
    expect((yield* send(one)).status).toBe(202)
  })

  sandboxTest("is fictional as people write it, too", function* () {
    for (const recipient of [
      "+1 555 000-0402",
      " +1 (555) 000.04.02",
      "+1\u00a0555\u20110000402"
    ]) {
      expect((yield* send({ ...sms, recipient })).status, recipient).toBe(402)
    }
  })
})

it("a documented status wins over another outcome with its suffix, and keeps its Retry-After", () => {
  const statuses = Object.values(documentedErrors).map(({ status }) => status)
  expect(outcomesOf(statuses)).toEqual(forcedOutcomes)
  const with429 = outcomesOf([...statuses, 429])
  expect(with429.map(({ suffix }) => suffix).toSorted()).toEqual(
    forcedOutcomes.map(({ suffix }) => suffix).toSorted()
  )
  expect(with429.find(({ suffix }) => suffix === "0429")).toMatchObject({
    response: "429 with the documented error body",
    fault: { status: 429, headers: { "retry-after": "1" } }
  })
})
