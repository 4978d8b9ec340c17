import { Fault } from "@messaging-topup/sandbox"
import { describe, expect, it } from "vitest"
import {
  anyRoute,
  approve,
  type CallResult,
  decline,
  eachOnce,
  guarded,
  type Guarded,
  routes
} from "../support/GuardedServer.ts"

const numbers = (count: number, from = 1): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `+2547${String(from + at).padStart(8, "0")}`)

const message = "Your table is ready."

const person = () => approve

const batch = (server: Pick<Guarded, "call">, args: object): Promise<CallResult> =>
  server.call("send_sms_batch", args)

const recipientsOf = async ({ upstream }: Guarded): Promise<ReadonlyArray<string>> =>
  (await upstream.accepted()).map(({ recipient }) => recipient)

describe.for(routes)("a batch, $era over $over", (route) => {
  it("is approved once and sent once, each row with an outcome of its own", async () => {
    await using server = await guarded(route, [], { person })
    const recipients = numbers(40)
    const result = await batch(server, { message, recipients, sender_id: "ACME" })
    expect(result.isError).toBe(false)
    expect(server.questions).toEqual([
      'Send 40 SMS? First to +254700000001, last to +254700000040, from "ACME", 40 segments: "Your table is ready."'
    ])
    expect(result.structured).toMatchObject({
      total: 40,
      sent: 40,
      not_sent: 0,
      unknown: 0,
      waiting: 0,
      approved_by: "person"
    })
    expect(result.text).toMatch(/^All 40 SMS were sent\. Do not send them again\./)
    expect((await recipientsOf(server)).toSorted()).toEqual(recipients)
    const ids = (await server.upstream.accepted()).map(({ message_id }) => message_id)
    expect(result.structured["message_ids"]).toHaveLength(40)
    expect(new Set(result.structured["message_ids"] as Array<string>)).toEqual(new Set(ids))
  })

  it("sends nothing if the person declines, and asks again when it is called again", async () => {
    const decisions = [decline, approve]
    await using server = await guarded(route, [], { person: () => decisions.shift() })
    const args = { message, recipients: numbers(3) }
    const declined = await batch(server, args)
    expect(declined.error).toMatchObject({ code: "confirmation_declined", outcome: "not-sent" })
    expect(declined.text).toMatch(/^This call sent nothing: the person declined\./)
    expect(await server.sent()).toBe(0)
    expect((await batch(server, args)).structured).toMatchObject({ sent: 3 })
    expect(server.questions).toHaveLength(2)
  })

  it("is refused where nobody can be asked", async () => {
    await using server = await guarded(route)
    const refused = await batch(server, { message, recipients: numbers(3) })
    expect(refused.error).toMatchObject({ code: "confirmation_unavailable", outcome: "not-sent" })
    expect(await server.sent()).toBe(0)
  })
})
