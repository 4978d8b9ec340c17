/**
 * A model of one key, or of one person under several keys: senders that can crash, freeze and lose
 * acknowledgements, an engine with a row of theirs, a service whose responses can come late or never, a person,
 * and time.
 *
 * The senders take the steps of a sender one at a time, and each step on the journal is the journal's own
 * statement. A sender that takes no more step has crashed.
 */
import { MessagingTopup } from "@messaging-topup/core"
import type { Decision } from "@messaging-topup/journal"
import { decidedState, type StoredEnd, type SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import type { Model, Step } from "./ModelChecker.ts"

/** How long a tick is: longer than a claim's deadline, and two are longer than a claim is in flight. */
export const tickMillis = 11_000
export const timeoutMillis = 5000

/** A row of the journal, by its stored key. `age`: the ticks since its claim, at most 2. */
export interface StoredAttempt {
  readonly key: string
  readonly attempt: number
  readonly owner: string
  readonly ticket: string
  readonly state: string
  /** Whether a person gave it its state. */
  readonly isDecided: boolean
  readonly age: number
}

type Rows = ReadonlyArray<StoredAttempt>

/** Where the journal is, and how a model reads and restores what it stores. */
export interface Store {
  readonly journal: typeof SendJournal.Service
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  readonly load: (attempts: Rows) => Promise<void>
  readonly stored: () => Promise<Rows>
  /** The ids of what it stores, by their tokens. */
  readonly ids: () => Promise<ReadonlyMap<string, number>>
  /** What each step returned and left, by the rows that it found: they are all that a journal knows. */
  readonly taken: Map<string, Promise<{ readonly result: unknown; readonly left: Rows }>>
}

export const sms = { recipient: "+15550101234", message: "Hello" }
const response = { success: true, status: 202, message: "ok", data: [] } as const

interface Sender {
  readonly at: "start" | "looked" | "writing" | "claimed" | "posted" | "ended" | "over"
  readonly attempt: number
  /** The ticks since it began to write its claim, while it may still start because of it. */
  readonly late: number
  readonly outcome: StoredEnd["state"]
}

const start: Sender = { at: "start", attempt: 0, late: 0, outcome: "unknown" }
const over: Sender = { ...start, at: "over" }

/** What a person decides about: what was shown to her, or all that stands so when she decides. */
interface Question {
  /** The tokens of attempts. */
  readonly shown?: ReadonlyArray<string>
  /** The decision that she takes back. Without it, she decides about what is unknown. */
  readonly was?: Decision | undefined
}

interface World {
  readonly attempts: Rows
  readonly senders: ReadonlyArray<Sender>
  /** How often an engine may still send the row of the first sender, by `sendOnce`. */
  readonly engines: number
  readonly accepted: number
  readonly resends: number
  readonly decisions: number
  readonly losses: number
  readonly prunes: number
  /** The keys of which a person decided that nothing sends them. */
  readonly closed: ReadonlyArray<string>
  /** A question that stands. */
  readonly question?: Question | undefined
  readonly wrong?: string
}

export interface Budget {
  readonly senders: number
  /** Whether each sender has a key of its own, in two campaigns, and all have one recipient, who must get one SMS. */
  readonly isOnePerson?: boolean
  readonly engines?: number
  readonly decisions: number
  readonly losses: number
  /** How often what is known not to have gone out may be forgotten. Their keys are then those of a program. */
  readonly prunes?: number
}

const outcomes: Readonly<Record<StoredEnd["state"], StoredEnd>> = {
  sent: { state: "sent", messages: [] },
  unknown: { state: "unknown" },
  rejected: { state: "rejected", reason: "InvalidRequest 400" },
  nothing: { state: "nothing" }
}

const everyDecision = Struct.keys(decidedState)

const readsUnknown = ({ age, state }: StoredAttempt): boolean =>
  state === "unknown" || (state === "claimed" && age === 2)

export const sendModel = (
  { ids, journal, load, run, stored, taken }: Store,
  budget: Budget,
  mayStart: (late: number) => boolean
): Model<World> => {
  const { look, write: writeTo } = journal.campaigns
  const isOfProgram = budget.prunes !== undefined
  /** What the same step of another budget differs by. */
  const kind = [budget.isOnePerson === true, isOfProgram]

  const withSender = (world: World, who: number, sender: Sender): World => ({
    ...world,
    senders: world.senders.map((each, index) => (index === who ? sender : each))
  })

  /** Takes a step on a journal that has the rows of the world, and returns its result and the world after it. */
  const onJournal = async <A>(world: World, name: string, step: () => Promise<A>) => {
    const take = async () => {
      await load(world.attempts)
      return { result: await step(), left: await stored() }
    }
    const key = JSON.stringify([name, kind, world.attempts])
    const taking = taken.get(key) ?? take()
    taken.set(key, taking)
    const { left, result } = await taking
    return [result as A, { ...world, attempts: left }] as const
  }

  const campaignOf = (who: number) => (budget.isOnePerson === true && who > 0 ? "d" : "c")
  const campaigns = [
    ...new Set(Array.from({ length: budget.senders }, (_, who) => campaignOf(who)))
  ]

  const write = (who: number, what: Partial<Parameters<typeof writeTo>[1]>) =>
    run(
      writeTo(campaignOf(who), {
        claim: [],
        settle: [],
        ticket: `t${who}`,
        timeoutMillis,
        ...what
      })
    )

  const keyOf = (who: number): string => (budget.isOnePerson === true ? `k${who}` : "k")
  const identified = Array.from({ length: budget.senders }, (_, who) =>
    journal.identify(isOfProgram ? keyOf(who) : { campaign: campaignOf(who), key: keyOf(who) }, sms)
  )
  const known = (who: number) => identified[who] ?? journal.identify(keyOf(who), sms)
  const storedKey = (who: number): string => known(who).key

  /** Claims a row that is twice in the batch. The result is how many claims it got. */
  const claim = (world: World, who: number, attempt: number) =>
    onJournal(world, `claim ${who} ${attempt}`, async () => {
      const mayRepeat = budget.isOnePerson !== true
      const row = { ...journal.describe(known(who), sms), attempt, mayRepeat }
      const { rows } = await write(who, { claim: [row, { ...row }] })
      return rows.filter((each) => typeof each === "object").length
    })

  const settle = (world: World, who: number, { attempt, outcome }: Sender) =>
    onJournal(world, `settle ${who} ${attempt} ${outcome}`, () =>
      write(who, {
        settle: [
          {
            claim: { id: who, key: storedKey(who), attempt, ticket: `t${who}` },
            stored: outcomes[outcome]
          }
        ]
      })
    )

  /** What is wrong if this sender's request starts now. */
  const startProblem = ({ attempts }: World, who: number): string | undefined =>
    attempts.some(
      (attempt) => attempt.ticket === `t${who}` && attempt.state === "claimed" && attempt.age < 2
    )
      ? undefined
      : "a request starts although its claim reads as unknown, or was decided"

  const senderSteps = (world: World, who: number): ReadonlyArray<Step<World>> => {
    const sender = world.senders[who]
    if (sender === undefined) return []
    const name = (what: string) => `${who + 1} ${what}`
    switch (sender.at) {
      case "over":
        return []
      case "start": {
        // The senders are alike, so it does not matter which of them begins first.
        if (world.senders.slice(0, who).some(({ at }) => at === "start")) return []
        const next = async () => {
          const looking = () => run(look([known(who)]))
          const [[standing]] = await onJournal(world, `look ${who}`, looking)
          const isFree = standing?.state === "free" || standing?.state === "rejected"
          return withSender(
            world,
            who,
            isFree ? { ...start, at: "looked", attempt: standing.attempt } : over
          )
        }
        return [
          {
            // As `sendOnce` does: whatever is there refuses the first attempt of a key.
            name: name("does not look"),
            next: () => withSender(world, who, { ...start, at: "looked" })
          },
          { name: name("looks"), next }
        ]
      }
      case "looked":
        return [
          {
            name: name("begins to write"),
            next: () => withSender(world, who, { ...sender, at: "writing", late: 0 })
          }
        ]
      case "writing": {
        const claims = async () => {
          const [claimed, written] = await claim(world, who, sender.attempt)
          const isClaimed = claimed > 0
          const after = withSender(written, who, isClaimed ? { ...sender, at: "claimed" } : over)
          if (!isClaimed) return after
          if (claimed > 1) return { ...after, wrong: "one write claimed a key twice" }
          if (world.closed.includes(storedKey(who)))
            return { ...after, wrong: "a key was claimed that a person had closed" }
          return world.attempts.some(({ state }) => state === "sent")
            ? { ...after, wrong: "a key was claimed although it is known as sent" }
            : after
        }
        const loses = async () => {
          const [, written] = await claim(world, who, sender.attempt)
          // It repeats the write later, and measures the deadline again from then.
          const after = withSender(written, who, { ...sender, at: "looked", late: 0 })
          return { ...after, losses: world.losses - 1 }
        }
        return [
          { name: name("claims"), next: claims },
          ...(world.losses > 0 ? [{ name: name("claims, and hears nothing"), next: loses }] : [])
        ]
      }
      case "claimed": {
        if (!mayStart(sender.late)) {
          const next = () =>
            withSender(world, who, { ...sender, at: "ended", late: 0, outcome: "nothing" })
          return [{ name: name("refuses to start"), next }]
        }
        const problem = startProblem(world, who)
        const posts = (outcome: StoredEnd["state"]): Step<World> => ({
          name: name(`posts: ${outcome}`),
          problem,
          next: () => ({
            ...withSender(world, who, { ...sender, at: "posted", late: 0, outcome }),
            accepted: world.accepted + (outcome === "sent" ? 1 : 0)
          })
        })
        return [posts("sent"), posts("rejected"), posts("nothing")]
      }
      case "posted":
        return [sender.outcome, "unknown" as const].map((outcome) => ({
          name: name(`hears: ${outcome}`),
          next: () => withSender(world, who, { ...sender, at: "ended", outcome })
        }))
      case "ended": {
        const { outcome } = sender
        const settles = async () => {
          const [{ missing }, written] = await settle(world, who, sender)
          const after = withSender(written, who, over)
          if (missing > 0) return { ...after, wrong: "a settlement misses a claim that was there" }
          const own = after.attempts.find(({ ticket }) => ticket === `t${who}`)
          return outcome === "sent" && own?.state !== "sent"
            ? { ...after, wrong: "a response that says sent was dropped" }
            : after
        }
        const loses = async () => {
          const [{ missing }, written] = await settle(world, who, sender)
          const after = { ...written, losses: world.losses - 1 }
          return missing > 0
            ? { ...after, wrong: "a settlement misses a claim that was there" }
            : after
        }
        return [
          { name: name(`settles: ${outcome}`), next: settles },
          ...(world.losses > 0
            ? [{ name: name(`settles: ${outcome}, and hears nothing`), next: loses }]
            : [])
        ]
      }
    }
  }

  /** One step, because an engine only waits while the row is in flight. */
  const engineSteps = (world: World): ReadonlyArray<Step<World>> => {
    const isInFlight = world.attempts.some(
      (attempt) => attempt.state === "claimed" && !readsUnknown(attempt)
    )
    if (isInFlight || world.engines === 0) return []
    return ([true, false] as const).map((isAccepted) => ({
      name: `an engine sends the row, and ${isAccepted ? "hears of it" : "hears nothing"}`,
      next: async () => {
        const [posts, after] = await onJournal(world, `engine ${isAccepted}`, async () => {
          let count = 0
          const service = Layer.mock(MessagingTopup, {
            timeoutMillis,
            sendSms: () => {
              count++
              return isAccepted ? Effect.succeed(response) : Effect.die("The engine was killed")
            }
          })
          const sending = journal.sendOnce({ campaign: "c", key: keyOf(0) }, sms)
          await run(Effect.exit(Effect.provide(sending, service)))
          return count
        })
        return { ...after, engines: world.engines - 1, accepted: world.accepted + posts }
      }
    }))
  }

  /** Whether an SMS more may go out: a person who says "not sent" allows another one to the same person. */
  const frees = (decision: Decision): boolean =>
    decision === "resend" || (decision === "not-sent" && budget.isOnePerson === true)

  /** The attempts about which a person can decide, each as she expects it to stand. */
  const standing = ({ attempts }: World, { shown, was }: Question): Rows =>
    attempts.filter((each) => {
      if (shown?.includes(each.ticket) === false) return false
      if (was === undefined) return readsUnknown(each)
      const isLast = attempts.every(
        ({ attempt, key }) => key !== each.key || attempt <= each.attempt
      )
      return each.isDecided && each.state === decidedState[was] && isLast
    })

  /** She is shown what stands so, and decides later. */
  const questionStep = (world: World, was: Decision | undefined): Step<World> => ({
    name: `a person is asked about what ${was ?? "is unknown"}`,
    next: async () => {
      const looking = () =>
        run(Effect.forEach(campaigns, (campaign) => journal.decidable({ campaign, was })))
      const [found, after] = await onJournal(world, `ask ${was}`, looking)
      const sends = found.flat()
      const shown = standing(world, { was })
      const isShown = shown.every(({ attempt, key }) =>
        sends.some((send) => `${send.campaign}/${send.key}` === key && send.attempt === attempt)
      )
      if (sends.length !== shown.length || !isShown)
        return { ...world, wrong: "a question does not show what can be decided" }
      if (shown.length === 0) return world
      return { ...after, question: { shown: shown.map(({ ticket }) => ticket), was } }
    }
  })

  const decisionStep = (world: World, decision: Decision, question: Question): Step<World> => ({
    name: `a person: ${decision}, of ${JSON.stringify(question)}`,
    next: async () => {
      const { shown, was } = question
      const name = `${decision} ${JSON.stringify(question)}`
      const [ends, left] = await onJournal(world, name, async () => {
        const idOf = await ids()
        const which =
          shown === undefined
            ? campaigns.map((campaign) => ({ campaign }))
            : [{ ids: shown.map((ticket, index) => idOf.get(ticket) ?? -1 - index) }]
        return run(Effect.forEach(which, (each) => journal.resolve({ ...each, was }, decision)))
      })
      const changed = ends.reduce((sum, end) => sum + end.changed, 0)
      const meanwhile = ends.reduce((sum, end) => sum + end.meanwhile, 0)
      const expected = standing(world, question)
      const decided = left.attempts.filter(
        ({ state }, index) => state !== world.attempts[index]?.state
      )
      if (decided.some(({ ticket }) => expected.every((each) => each.ticket !== ticket)))
        return { ...world, wrong: "a decision changed what does not stand as it was shown" }
      if (decided.length < expected.length)
        return { ...world, wrong: "a decision missed a row of unknown outcome" }
      const others = (shown?.length ?? changed) - changed
      if (changed !== decided.length || meanwhile !== others)
        return { ...world, wrong: "a decision says wrongly what it changed" }
      const after = shown === undefined ? left : { ...left, question: undefined }
      if (changed === 0) return after
      const changedKeys = decided.map(({ key }) => key)
      const stillClosed = world.closed.filter((key) => !changedKeys.includes(key))
      return {
        ...after,
        decisions: world.decisions - 1,
        resends: world.resends + (frees(decision) ? changed : 0),
        closed: decision === "resend" ? stillClosed : [...stillClosed, ...changedKeys]
      }
    }
  })

  /** One question stands at a time, and others decide at once: that is every order of two who decide. */
  const personSteps = (world: World): ReadonlyArray<Step<World>> => {
    const { question } = world
    if (world.decisions === 0) return []
    const atOnce = [undefined, ...everyDecision].map((was): Question => ({ was }))
    return [
      ...(question === undefined ? atOnce.map(({ was }) => questionStep(world, was)) : []),
      ...[...atOnce, ...(question === undefined ? [] : [question])].flatMap((each) =>
        everyDecision
          .filter((decision) => decision !== each.was)
          .map((decision) => decisionStep(world, decision, each))
      )
    ]
  }

  /** Forgets keys to which nothing happened for some time, as an operator does now and then. */
  const pruneSteps = (world: World): ReadonlyArray<Step<World>> => {
    const isPrunable = world.attempts.every(
      ({ state }) => state === "rejected" || state === "freed"
    )
    if (world.prunes === 0 || !isPrunable || world.attempts.length === 0) return []
    const next = async () => {
      const pruning = () => run(journal.prune({ olderThan: 0 }))
      const [, after] = await onJournal(world, "prune", pruning)
      return { ...after, prunes: world.prunes - 1 }
    }
    return [{ name: "an operator prunes", next }]
  }

  const tick = (world: World): World => ({
    ...world,
    attempts: world.attempts.map((attempt) => ({ ...attempt, age: Math.min(2, attempt.age + 1) })),
    senders: world.senders.map((sender) =>
      sender.at === "writing" || sender.at === "claimed" ? { ...sender, late: 1 } : sender
    )
  })

  const problem = ({
    accepted,
    decisions,
    resends,
    senders,
    attempts,
    wrong
  }: World): string | undefined => {
    if (wrong !== undefined) return wrong
    if (accepted > 1 + resends) return "more SMS went out than a person's decisions allow"
    const isQuiet = senders.every(({ at }) => at === "start" || at === "over")
    const isKnown = attempts.some(
      (attempt) => attempt.state === "sent" || attempt.state === "claimed" || readsUnknown(attempt)
    )
    return isQuiet && accepted > 0 && !isKnown && decisions === budget.decisions
      ? "an SMS that went out is forgotten"
      : undefined
  }

  return {
    initial: {
      attempts: [],
      senders: Array.from({ length: budget.senders }, () => start),
      engines: budget.engines ?? 0,
      accepted: 0,
      resends: 0,
      closed: [],
      decisions: budget.decisions,
      losses: budget.losses,
      prunes: budget.prunes ?? 0
    },
    steps: (world) => [
      ...world.senders.flatMap((_, who) => senderSteps(world, who)),
      ...engineSteps(world),
      ...personSteps(world),
      ...pruneSteps(world),
      { name: "time passes", next: () => tick(world) }
    ],
    problem,
    key: (world) => JSON.stringify(world)
  }
}
