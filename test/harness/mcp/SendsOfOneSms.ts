/**
 * An SMS that was sent as a row of a batch and by single calls: the list, the status, both calls and their refusals agree
 * about it.
 */
import { join } from "node:path"
import { expect } from "vitest"
import { operate } from "../Command.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { anyRoute, approve, guarded } from "./GuardedServer.ts"

const message = "Your table is ready."

type Ended = "sent" | "unknown"

const ends: ReadonlyArray<Ended> = ["sent", "unknown"]

/** The first is a row of a batch, each other one a single call with again. */
const historiesOf = (count: number): ReadonlyArray<ReadonlyArray<Ended>> =>
  count === 0
    ? [[]]
    : historiesOf(count - 1).flatMap((history) => ends.map((end) => [...history, end]))

/** Each gives an unknown one this state. */
const decidedStates = new Map([
  ["--not-sent", "closed"],
  ["--sent", "decided"]
])

type Server = Awaited<ReturnType<typeof guarded>>

const numbersOf = (value: unknown): ReadonlyArray<number> =>
  (Array.isArray(value) ? value.map(Number) : []).toSorted((one, other) => one - other)

const check = async (
  server: Server,
  batch: object,
  sms: { readonly recipient: string; readonly message: string },
  states: ReadonlyArray<string>
) => {
  const count = (state: string) => states.filter((each) => each === state).length
  const [decided, unknown] = [count("decided"), count("unknown")]
  const sent = count("sent") + decided
  const list = await server.call("list_recent_sends", { recipients: [sms.recipient] })
  const records = list.structured["data"] as ReadonlyArray<Readonly<Record<string, unknown>>>
  const told = records.map(({ reason, state }) => (reason && state === "sent" ? "decided" : state))
  expect(new Set(told)).toEqual(new Set(states))
  for (const state of states) {
    expect(told.filter((each) => each === state)).toHaveLength(count(state))
  }
  expect(records).toHaveLength(states.length)
  expect(list.text).toContain(`This caller has ${states.length} sends, of which all are listed.`)
  if (unknown > 0) expect(list.text).toContain(`Of unknown outcome: ${unknown}.`)
  const ids = numbersOf(records.flatMap(({ id }) => id ?? []))
  expect(new Set(ids).size).toBe(unknown)

  const result = await server.call("send_sms_batch", batch)
  const { batch_id } = result.structured
  const status = await server.call("get_sms_status", { batch_id })
  expect(numbersOf(status.structured["unknown_ids"])).toEqual(ids)
  const outcome = sent > 0 ? "sent" : unknown > 0 ? "unknown" : "not-sent"
  const counts = {
    sent: sent > 0 ? 2 : 1,
    unknown: outcome === "unknown" ? 1 : 0,
    not_sent: outcome === "not-sent" ? 1 : 0
  }
  expect(status.structured).toMatchObject(counts)
  expect(result.structured).toMatchObject({ ...counts, sent_by_this_call: false })
  const single = await server.send(sms)
  expect(single.structured).toMatchObject({ outcome, sent_by_this_call: false })
  const others = unknown - (outcome === "unknown" ? 1 : 0)
  for (const { text } of [status, single]) {
    expect(text.includes(` ${others} may have gone out.`)).toBe(others > 0)
  }
  expect(/as (a person|the person who runs the server) decided/.test(status.text)).toBe(decided > 0)
  if (sent > 0) {
    expect(single.text.includes("the service accepted")).toBe(sent > decided)
    expect(single.text.includes("the person who runs the server decided")).toBe(decided > 0)
    const isDecided = states.findLast((each) => each === "sent" || each === "decided") === "decided"
    expect(result.text.includes("(1 as a person decided)")).toBe(isDecided)
    expect(single.structured["reason"]).toBe(isDecided ? "a person decided so" : undefined)
    expect(numbersOf(result.structured["unknown_ids"])).toEqual(ids)
    expect(numbersOf(single.structured["unknown_ids"])).toEqual(ids)
    expect(result.text).not.toContain("Unknown whether sent")
    const copy = await server.call("send_sms_batch", { ...batch, again: true })
    expect(copy.structured).toMatchObject({ sent: 2, sent_by_this_call: false })
    expect(copy.text).toContain("a second copy of another one goes with send_sms.")
    expect(copy.text).not.toContain("make the same call with again")
  }
  for (const { text } of [list, status, single]) {
    expect(text.includes("resolve --id")).toBe(unknown > 0)
  }
  if (unknown > 0 && sent === 0) expect(single.structured).toMatchObject({ id: ids.at(-1) })
}

/** Every history of so many sends, with each decision about those of unknown outcome. */
export const casesOf = (count: number) =>
  [...decidedStates.keys()].flatMap((decision) =>
    historiesOf(count).map((history) => [history.join(", "), decision, history] as const)
  )

/** Sends it, decides about each that is unknown, the last one first, and checks after each step. */
export const expectAgreement = async (decision: string, history: ReadonlyArray<Ended>) => {
  const state = ["--journal", join(temporaryFolder(), "sends.sqlite")]
  await using server = await guarded(anyRoute, state, { person: () => approve })
  const lose = (how: string | undefined) =>
    how === "unknown"
      ? server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
      : undefined
  const recipients = ["+254700000001", "+254700000002"]
  const batch = { message, recipients }
  const [first, ...others] = history
  await lose(first)
  const begun = await server.call("send_sms_batch", batch)
  const failed = begun.structured["failed"] as ReadonlyArray<{ readonly recipient: string }>
  const sms = { message, recipient: failed?.[0]?.recipient ?? "+254700000001" }
  const states: Array<string> = [first ?? ""]
  for (const each of others) {
    await lose(each)
    await server.send({ ...sms, again: true })
    states.push(each)
    await check(server, batch, sms, states)
  }
  for (;;) {
    const last = states.lastIndexOf("unknown")
    if (last === -1) break
    const { events } = await operate(["sends", "--unknown", ...state])
    const id = Math.max(...events.map((event) => Number(event["id"])))
    await operate(["resolve", "--id", String(id), decision, "--yes", ...state])
    states[last] = decidedStates.get(decision) ?? ""
    await check(server, batch, sms, states)
  }
  const requests = await server.upstream.requests()
  expect(requests.filter(({ method }) => method === "POST")).toHaveLength(history.length + 1)
}
