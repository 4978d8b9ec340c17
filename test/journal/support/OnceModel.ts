/**
 * A model of two callers of one `sendOnce` key, the service, a person and time.
 *
 * The callers take the steps of `sendOnce` one at a time. A caller that takes no step is frozen or has
 * crashed. Its claim reads as unknown once time has passed.
 */
import type { Claim, Decision, JournalError, SendClaims } from "@messaging-topup/journal"
import type * as Effect from "effect/Effect"
import type { DatabaseSync } from "node:sqlite"
import { request } from "./ClaimRequest.ts"
import type { Model, Step } from "./ModelChecker.ts"

/** The stage of a caller. `taken` and `not taken`: whether the service accepted its request. */
type Stage = "start" | "claimed" | "taken" | "not taken" | "sent" | "unknown" | "not-sent" | "over"

interface Caller {
  readonly at: Stage
  readonly claim?: Claim
  /** Whether the service accepted its request. */
  readonly isTaken?: boolean
  /** Whether a person decided on its claim. From then on, the decision counts as the truth. */
  readonly isDecided?: boolean
}

type Entry = Readonly<Record<string, string | number | null>>

interface World {
  readonly entries: ReadonlyArray<Entry>
  readonly callers: readonly [Caller, Caller]
  readonly now: number
  /** How often the key became free, minus the requests that started. */
  readonly unused: number
  readonly decisions: number
  readonly wrong?: string
}

type CallerIndex = 0 | 1

const nextStages: Readonly<Partial<Record<Stage, ReadonlyArray<Stage>>>> = {
  claimed: ["taken", "not taken"],
  taken: ["sent", "unknown"],
  "not taken": ["not-sent", "unknown"]
}

const withCaller = (world: World, who: CallerIndex, change: Partial<Caller>): World => {
  const [first, second] = world.callers
  return {
    ...world,
    callers: who === 0 ? [{ ...first, ...change }, second] : [first, { ...second, ...change }]
  }
}

const nameOf = (who: number): string => `claim of ${who}`

export const onceModel = (
  claims: SendClaims["Service"],
  database: DatabaseSync,
  run: <A>(effect: Effect.Effect<A, JournalError>) => A,
  setTime: (to: number) => void
): Model<World> => {
  const read = database.prepare("select * from once order by id")
  const write = (entry: Entry): void => {
    const columns = Object.keys(entry)
    const places = columns.map(() => "?").join(", ")
    database
      .prepare(`insert into once (${columns.join(", ")}) values (${places})`)
      .run(...Object.values(entry))
  }

  const restore = ({ entries, now }: World): void => {
    setTime(now)
    database.exec("begin")
    database.exec("delete from once")
    // Ids start again, so that states that differ only in their ids are equal.
    database.exec("delete from sqlite_sequence where name = 'once'")
    for (const entry of entries) write(entry)
    database.exec("commit")
  }

  const observed = (world: World): World => ({
    ...world,
    entries: read.all() as ReadonlyArray<Entry>
  })

  const step = (world: World, name: string, next: () => World): Step<World> => ({
    name,
    next: () => {
      restore(world)
      return next()
    }
  })

  const claim = (world: World, who: CallerIndex): World => {
    const result = run(claims.claim(request("k")))
    if (result._tag === "Claimed") {
      // A fixed name replaces the random id, so that states that differ only in it are equal.
      const id = nameOf(who)
      database.prepare("update once set claim = ? where claim = ?").run(id, result.claim.id)
      return observed(withCaller(world, who, { at: "claimed", claim: { ...result.claim, id } }))
    }
    if (result._tag === "InFlight") return world
    const isTrue = world.callers.some(({ isDecided, isTaken }) => isDecided ?? isTaken)
    const isUntrue = result._tag === "Sent" && !isTrue
    const after = withCaller(world, who, { at: "over" })
    return isUntrue
      ? { ...after, wrong: "a caller got the result of a send that did not happen" }
      : after
  }

  const settle = (world: World, who: CallerIndex, made: Claim): World => {
    const { at } = world.callers[who]
    const settlement =
      at === "sent"
        ? ({ outcome: "sent", messages: [] } as const)
        : ({ outcome: at === "not-sent" ? "not-sent" : "unknown" } as const)
    const before = world.entries.length
    run(claims.settle(made, settlement))
    const after = observed(withCaller(world, who, { at: "over" }))
    // A send that did not go out frees the key that it held.
    const isFreed = at === "not-sent" && after.entries.length < before
    return isFreed ? { ...after, unused: after.unused + 1 } : after
  }

  const callerSteps = (world: World, who: CallerIndex): ReadonlyArray<Step<World>> => {
    const { at, claim: made } = world.callers[who]
    const name = (what: string) => `${who + 1} ${what}`
    if (at === "start") {
      // The callers are alike, so it does not matter which of them starts first.
      return who === 1 && world.callers[0].at === "start"
        ? []
        : [step(world, name("claims"), () => claim(world, who))]
    }
    if (made === undefined || at === "over") return []
    const stages = nextStages[at]
    if (stages === undefined) {
      return [step(world, name(`settles ${at}`), () => settle(world, who, made))]
    }
    return stages.map((next) => ({
      name: name(next),
      next: () => ({
        ...withCaller(world, who, next === "taken" ? { at: next, isTaken: true } : { at: next }),
        unused: at === "claimed" ? world.unused - 1 : world.unused
      })
    }))
  }

  const decisions: ReadonlyArray<Decision> = ["sent", "rejected", "resend"]

  const personSteps = (world: World): ReadonlyArray<Step<World>> =>
    world.decisions === 0
      ? []
      : world.entries.flatMap(({ claim: id }) =>
          decisions.map((decision) =>
            step(world, `a person: ${decision}`, () => {
              if (!run(claims.resolve(String(id), decision))) return world
              const decided = withCaller(world, id === nameOf(0) ? 0 : 1, { isDecided: true })
              const after = observed({ ...decided, decisions: world.decisions - 1 })
              return decision === "resend" ? { ...after, unused: after.unused + 1 } : after
            })
          )
        )

  const problem = ({ callers, entries, unused, wrong }: World): string | undefined => {
    if (wrong !== undefined) return wrong
    if (unused < 0) return "more requests started than the key became free"
    const known = new Map(entries.map(({ claim: id, state }) => [id, String(state)]))
    const isForgotten = callers.some(
      ({ isDecided, isTaken }, who) =>
        isTaken === true &&
        isDecided !== true &&
        !["claimed", "sent", "unknown"].includes(known.get(nameOf(who)) ?? "")
    )
    return isForgotten ? "an SMS that was sent is forgotten" : undefined
  }

  return {
    initial: () => ({
      entries: [],
      callers: [{ at: "start" }, { at: "start" }],
      now: 0,
      unused: 1,
      decisions: 2
    }),
    steps: (world) => [
      ...callerSteps(world, 0),
      ...callerSteps(world, 1),
      ...personSteps(world),
      { name: "time passes", next: () => ({ ...world, now: 3_600_000 }) }
    ],
    problem,
    key: (world) => JSON.stringify(world)
  }
}
