/**
 * Random calls, decisions, failures and restarts of a server, beside a model of what must happen. After each of
 * them: what the caller is told, which requests the service got, and whether a person was asked.
 */
import type { Decision as Resolution } from "@messaging-topup/journal"
import { decidedState } from "@messaging-topup/journal/internal"
import * as Struct from "effect/Struct"
import fc from "fast-check"
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { operate } from "../harness/Command.ts"
import { breakOff, type Respond, reply, reset } from "../harness/ResponseServer.ts"
import { isFull, runs } from "../harness/Runs.ts"
import { errorBody } from "../harness/Contract.ts"
import { showsCards } from "../harness/mcp/CardClient.ts"
import { passTime, stopTime } from "../harness/mcp/Clock.ts"
import { Disposables } from "../harness/mcp/Disposables.ts"
import {
  type Card,
  approve,
  type GuardedServer,
  type Modern,
  resultOf,
  speakModern,
  startGuarded
} from "../harness/mcp/GuardedServer.ts"
import { openRespondingUpstream } from "../harness/mcp/RespondingUpstream.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import {
  type Call,
  type Confirm,
  type List,
  type Decision,
  decisions,
  type Fault,
  faults,
  Model,
  type Question,
  type Step
} from "../harness/mcp/CallModel.ts"

const callers = { ann: "a".repeat(40), bob: "b".repeat(40) } as const

type CallerName = keyof typeof callers

const recipients = ["+254700000001", "+254700000002", "+254700000003"] as const

type Recipient = (typeof recipients)[number]

const accepted: Respond = (request, response) => {
  const { recipient } = JSON.parse(request.body)
  const data = [{ recipient, message_id: `m-${recipient}`, status: "Queued" }]
  reply(202, { success: true, status: 202, message: "ok", data })(request, response)
}

const responses: Readonly<Record<Fault, Respond>> = {
  accepts: accepted,
  "accepts, unreadably": breakOff(202),
  resets: reset,
  "fails with 500": reply(500, errorBody(500)),
  "refuses the request": reply(400, errorBody(400)),
  "refuses the account": reply(402, errorBody(402)),
  "is busy": reply(429)
}

/** What a client can do to ask a person. */
const ways = { form: { elicitation: { form: {} } }, card: showsCards, none: {} } as const

type Way = keyof typeof ways

/** A question as the client got it. */
interface Asked {
  readonly way: Way
  readonly state: string
  readonly name: string
  readonly caller: CallerName
  readonly args: object
  readonly question: Question
}

/** The server under test, its service, and a client for each caller. */
class Real {
  readonly asked: Array<Asked> = []
  readonly #stack = new Disposables()
  readonly #args: ReadonlyArray<string>
  readonly #clients = new Map<CallerName, Modern>()
  #server: GuardedServer | undefined
  #upstream: Awaited<ReturnType<typeof openRespondingUpstream>> | undefined
  readonly posts: Array<string> = []
  planned: ReadonlyMap<string, Fault> = new Map()

  constructor(confirm: Confirm, list: List) {
    const folder = temporaryFolder()
    writeFileSync(join(folder, "key"), randomBytes(32))
    const file = join(folder, "sends.sqlite")
    const key = join(folder, "key")
    const options = [`--journal=${file}`, `--approval-key-file=${key}`]
    const limits = ["--max-sends-per-hour=1000000"]
    const rules = list === "each" ? recipients.join() : "*"
    const listed = list === "none" ? [] : [`--allow-recipients=${rules}`]
    this.#args = [...options, ...limits, `--confirm=${confirm}`, ...listed]
  }

  async start(): Promise<this> {
    this.#upstream = this.#stack.use(await openRespondingUpstream())
    this.#upstream.respondWith((request, response) => {
      const recipient: string = JSON.parse(request.body).recipient
      this.posts.push(recipient)
      responses[this.planned.get(recipient) ?? "accepts"](request, response)
    })
    await this.restart()
    return this
  }

  /** Approvals outlive the server, and so does what it knows of sends. */
  async restart(): Promise<void> {
    const now = Date.now()
    await this.#server?.[Symbol.asyncDispose]()
    const keys = Object.entries(callers).map(([name, key]) => `${name}:${key}`)
    this.#server = await startGuarded("http", this.#args, {
      ...this.#upstream?.environment,
      MESSAGING_TOPUP_MCP_BEARER_KEYS: keys.join(",")
    })
    for (const name of ["ann", "bob"] as const) {
      this.#clients.set(name, await speakModern(this.#server.open(callers[name]), "0 seconds"))
    }
    // Stopping a server sets the clock to the real time. The wall clock has whole milliseconds only, and with less than
    // one more, the monotonic clock could go back.
    stopTime()
    passTime(Math.max(0, now - Date.now()) + 1)
  }

  async call(caller: CallerName, way: Way, params: Readonly<Record<string, unknown>>) {
    this.posts.length = 0
    const given = (await this.#clients.get(caller)?.request(params, ways[way])) ?? {}
    const result = resultOf(given)
    const card: Card | undefined = result.card
    const state = card?.state ?? given["requestState"]
    return { result, state: typeof state === "string" ? state : undefined }
  }

  /** Decides about the newest send of unknown outcome to a number. */
  async resolve(caller: CallerName, recipient: string, word: string): Promise<void> {
    const args = this.#args.slice(0, 1)
    const list = await operate(["sends", "--unknown", "--to", recipient, ...args])
    const sends = list.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const { id } = sends.find((send) => send.caller === `key:${caller}`)
    expect(
      (await operate(["resolve", "--id", String(id), `--${word}`, "--yes", ...args])).code
    ).toBe(0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]()
    await this.#stack.disposeAsync()
  }
}

const idOf = (hasId: boolean | undefined) => (hasId === true ? { id: expect.any(Number) } : {})

const check = (
  { result, state }: Awaited<ReturnType<Real["call"]>>,
  { posts }: Real,
  to: ReadonlyArray<string>,
  step: Step
) => {
  expect(state !== undefined).toBe(step._tag === "Question")
  const expected = step._tag === "Ended" ? step.posts.map((at) => to[at] ?? "").toSorted() : []
  expect(posts.toSorted()).toEqual(expected)
  if (step._tag === "Question") return
  const { error, isError, structured } = result
  if (step._tag === "Refused") {
    expect(error).toMatchObject({ code: step.code, outcome: step.outcome })
    expect(structured).toMatchObject({ code: step.code, outcome: step.outcome })
    return
  }
  const { ends } = step
  const [only] = ends
  if (ends.length > 1) {
    const count = (outcome: string) => ends.filter((end) => end.outcome === outcome).length
    expect(isError).toBe(count("sent") === 0)
    expect(structured).toMatchObject({
      sent: count("sent"),
      not_sent: count("not-sent"),
      unknown: count("unknown")
    })
    const failed = ends.flatMap(({ code, hasId, outcome }, at) =>
      code === undefined || code === "not_started"
        ? []
        : [{ row: at + 1, recipient: to[at], outcome, ...idOf(hasId) }]
    )
    const told = (structured["failed"] ?? []) as ReadonlyArray<Readonly<Record<string, unknown>>>
    const rows = told.map(({ unknown_ids: ids, ...row }) => {
      // Only of several, the last one first.
      if (ids !== undefined) expect(ids).toEqual(expect.arrayContaining([row["id"]]))
      if (Array.isArray(ids)) expect(ids.length).toBeGreaterThan(1)
      return row
    })
    expect(rows).toEqual(failed)
    const codes = new Set(ends.flatMap(({ code }) => code ?? []))
    const causes = (structured["causes"] ?? []) as ReadonlyArray<{ readonly code: string }>
    expect(new Set(causes.map(({ code }) => code))).toEqual(codes)
  } else if (only?.code === undefined) {
    const sent_by_this_call = posts.length === 1
    expect(structured).toMatchObject({ outcome: "sent", sent_by_this_call })
    expect(isError).toBe(false)
  } else {
    expect(error).toMatchObject({ code: only.code, outcome: only.outcome, ...idOf(only.hasId) })
    if (only.hasId !== true) expect(error).not.toHaveProperty("id")
  }
}

type Command = fc.AsyncCommand<Model, Real>

/** Decides on a question: now, or once more. */
const decide = async (model: Model, real: Real, asked: Asked, decision: Decision) => {
  const { after, ...decided } = decisions[decision]
  passTime(after)
  const { args, caller, name, question, state, way } = asked
  // A card that is closed returns nothing.
  const action = way === "card" && decided.action === "cancel" ? "decline" : decided.action
  const step = model.decide(question, action, Date.now())
  const byCard = { tool: name, arguments: args, state, action }
  const byForm = {
    name,
    arguments: args,
    requestState: state,
    inputResponses: { confirm: { ...approve, action } }
  }
  const called = await real.call(
    caller,
    way,
    way === "card" ? { name: "decide_sms", arguments: byCard } : byForm
  )
  check(called, real, recipientsOf(question.call), step)
}

const recipientsOf = ({ keys }: Call): ReadonlyArray<string> =>
  keys.map((key) => key.split(" ")[1] ?? "")

const planned = (call: Call): ReadonlyMap<string, Fault> =>
  new Map(recipientsOf(call).map((to, at) => [to, call.faults[at] ?? "accepts"]))

interface Calling {
  readonly caller: CallerName
  readonly to: ReadonlyArray<Recipient>
  readonly again: boolean
  readonly way: Way
  readonly faults: ReadonlyArray<Fault>
  /** Undefined if the question is left open. */
  readonly decision: Decision | undefined
}

const message = "Hello"

const calls = (calling: Calling): Command => ({
  check: () => true,
  run: async (model, real) => {
    const { again, caller, decision, faults: given, to, way } = calling
    const keys = to.map((recipient) => `${caller} ${recipient}`)
    const call: Call = { keys, again, canBeAsked: way !== "none", faults: given }
    const isOne = to.length === 1
    const name = isOne ? "send_sms" : "send_sms_batch"
    const args = { message, again, ...(isOne ? { recipient: to[0] } : { recipients: to }) }
    const step = model.call(call, Date.now())
    real.planned = planned(call)
    const called = await real.call(caller, way, { name, arguments: args })
    check(called, real, to, step)
    const question = model.questions.at(-1)
    if (step._tag !== "Question" || question === undefined) return
    const asked = { way, name, args, caller, question, state: called.state ?? "" }
    real.asked.push(asked)
    if (decision !== undefined) await decide(model, real, asked, decision)
  },
  toString: () => JSON.stringify(calling)
})

/** Uses an approval, or a refusal, a second time. */
const replays = (which: number, decision: Decision): Command => ({
  check: ({ questions }) => questions.length > 0,
  run: async (model, real) => {
    const asked = real.asked.at(-1 - (which % real.asked.length))
    if (asked === undefined) return
    real.planned = planned(asked.question.call)
    await decide(model, real, asked, decision)
  },
  toString: () => `the question ${which} before: ${decision}`
})

const resolves = (caller: CallerName, recipient: Recipient, word: Resolution): Command => ({
  check: (model) => model.isUnresolved(`${caller} ${recipient}`),
  run: async (model, real) => {
    await real.resolve(caller, recipient, word)
    model.resolve(`${caller} ${recipient}`, word, Date.now())
  },
  toString: () => `the operator says of ${caller}'s SMS to ${recipient}: ${word}`
})

const passes = (time: "7 minutes" | "12 hours" | "25 hours"): Command => ({
  check: () => true,
  run: async () => passTime(time),
  toString: () => `${time} pass`
})

const restarts: Command = {
  check: () => true,
  run: (_, real) => real.restart(),
  toString: () => "a restart"
}

/** The first ones are chosen more often. */
const mostly = <A>(first: A, ...others: ReadonlyArray<A>) =>
  fc.oneof(
    { arbitrary: fc.constant(first), weight: others.length + 1 },
    { arbitrary: fc.constantFrom(first, ...others), weight: others.length }
  )

const caller = mostly<CallerName>("ann", "bob")

const recipient = mostly<Recipient>(...recipients)

const decision = mostly<Decision>("approve", ...Struct.keys(decisions))

const fault = mostly<Fault>("resets", "accepts", "accepts", ...Struct.keys(faults))

const call = fc
  .record({
    caller,
    to: fc.oneof(fc.tuple(recipient), fc.shuffledSubarray([...recipients], { minLength: 2 })),
    again: mostly(false, true),
    way: mostly<Way>("form", "card", "none"),
    faults: fc.array(fault, { minLength: 3, maxLength: 3 }),
    decision: fc.option(decision, { nil: undefined, freq: 3 })
  })
  .map(calls)

const replay = fc.tuple(fc.nat(3), decision).map(([which, word]) => replays(which, word))

const resolve = fc
  .tuple(caller, recipient, fc.constantFrom(...Struct.keys(decidedState)))
  .map((args) => resolves(...args))

const pass = fc.constantFrom("7 minutes" as const, "12 hours", "25 hours").map(passes)

const commands = fc.commands(
  [call, call, call, call, replay, resolve, pass, pass, fc.constant(restarts)],
  { maxCommands: 30, size: "max" }
)

const batchTo = (to: ReadonlyArray<Recipient>, again: boolean): Command =>
  calls({
    caller: "ann",
    to,
    again,
    way: "form",
    faults: ["resets", "resets", "resets"],
    decision: "approve"
  })

const [first, second, third] = recipients

/** A question about a batch that is left open. */
const asking = (to: ReadonlyArray<Recipient>): Command =>
  calls({ caller: "ann", to, again: false, way: "form", faults: [], decision: undefined })

/** One of its SMS, sent by another call. */
const alone = (to: Recipient, met: Fault): Command =>
  calls({
    caller: "ann",
    to: [to],
    again: false,
    way: "none",
    faults: [met],
    decision: undefined
  })

/** A decision about a send, and each word that can come after it. */
const decidedTwice = (who: CallerName, way: Way) =>
  (["approve", "decline", "dismiss", "approve late"] as const).flatMap((word, at) => [
    calls({
      caller: who,
      to: [recipients[at % 3] ?? first],
      again: false,
      way,
      faults: ["accepts"],
      decision: word
    }),
    ...(["approve", "decline", "approve"] as const).map((later) => replays(0, later))
  ])

/** Sequences that no seed has to find again. */
const sequences: Readonly<Record<string, ReadonlyArray<Command>>> = {
  "a question is decided once, by a form": decidedTwice("ann", "form"),
  "a question is decided once, by a card": decidedTwice("bob", "card"),
  "a batch that is sent again asks about what is unknown, and not about what a person closed": [
    batchTo(recipients, false),
    batchTo([second, third], true),
    resolves("ann", first, "not-sent"),
    batchTo([first, second], true)
  ],
  "a decision about a second SMS leaves the first one unknown, and a batch asks about it": [
    batchTo(recipients, false),
    batchTo([first, second], true),
    resolves("ann", first, "not-sent"),
    batchTo([first, third], true)
  ],
  "of an SMS that a person closed once and freed later, the later decision counts": [
    alone(first, "resets"),
    resolves("ann", first, "not-sent"),
    batchTo([first], true),
    resolves("ann", first, "resend"),
    alone(first, "accepts")
  ],
  "… and of one that was freed once and closed later": [
    alone(first, "resets"),
    batchTo([first], true),
    resolves("ann", first, "resend"),
    resolves("ann", first, "not-sent"),
    alone(first, "accepts"),
    batchTo([first, second], true)
  ],
  "an approval of a batch that was sent again is used up": [
    batchTo([third, second], true),
    replays(0, "approve")
  ],
  "what a person approved goes out, though another row was sent": [
    asking(recipients),
    alone(second, "accepts"),
    replays(0, "approve"),
    replays(0, "approve")
  ],
  "… or is unknown": [asking(recipients), alone(second, "resets"), replays(0, "approve")],
  "… or is free after another attempt": [
    asking(recipients),
    alone(second, "resets"),
    resolves("ann", second, "resend"),
    replays(0, "approve"),
    batchTo(recipients, true)
  ],
  "an approval of which every row changed is invalid": [
    asking([first, second]),
    alone(first, "refuses the request"),
    alone(second, "refuses the request"),
    replays(0, "approve"),
    // It is not used up.
    replays(0, "approve"),
    batchTo([first, second], false)
  ],
  "of a batch with again that nobody can be asked about, each row has the words of what came before":
    [
      alone(first, "resets"),
      calls({
        caller: "ann",
        to: [first, second],
        again: true,
        way: "none",
        faults: [],
        decision: undefined
      })
    ]
}

it.skipIf(isFull).each(Object.entries(sequences))("%s", async (_, sequence) => {
  await using real = await new Real("auto", "each").start()
  const ran = fc.asyncModelRun(() => ({ model: new Model("auto", "each"), real }), sequence)
  await expect(ran).resolves.toBeUndefined()
})

it("every call sends what it may, and says what happened", { timeout: 300_000 }, async () => {
  const rules = fc.constantFrom<readonly [Confirm, List]>(
    ["auto", "each"],
    ["auto", "prefix"],
    ["auto", "none"],
    ["require", "each"],
    ["off", "prefix"]
  )
  await fc.assert(
    fc.asyncProperty(rules, commands, async (rule, each) => {
      await using real = await new Real(...rule).start()
      await fc.asyncModelRun(() => ({ model: new Model(...rule), real }), each)
    }),
    { numRuns: runs(100) }
  )
})
