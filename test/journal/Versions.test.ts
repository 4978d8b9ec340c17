import { expect, it } from "@effect/vitest"
import { Phone } from "@messaging-topup/core/internal"
import { type SendState, SendJournal } from "@messaging-topup/journal/internal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { alone } from "../harness/Command.ts"
import { tryToClaim } from "../harness/journal/conformance/ServerTests.ts"
import {
  approval,
  dumpOf,
  type End,
  makeStored,
  makeVersion,
  programSends,
  runList,
  serverSends,
  smsOf,
  storedAs,
  upstream,
  versionOf
} from "../harness/journal/Versions.ts"
import { journalFile } from "../harness/TemporaryFolder.ts"

const inFile = <A, E, R>(file: string, use: Effect.Effect<A, E, R>) =>
  Effect.provide(use, Layer.fresh(Sqlite.layer(file)))

const accepted = Effect.flatMap(Sandbox, ({ messages }) =>
  Effect.map(messages(), (sms) => sms.map(({ message }) => message))
)

it.live("what is stored, and what its digests are made of, changes with the version alone", () =>
  Effect.gen(function* () {
    const file = yield* journalFile
    yield* makeVersion(file)
    // If it differs by a new field alone, leave that out of the digest where it is absent. Otherwise raise the version in
    // Schema.ts, and run makeVersion.ts.
    expect(dumpOf(file)).toBe(storedAs(versionOf(file)))
  }).pipe(Effect.provide(upstream))
)

/** What is left of what stands before a number. */
const prefixes = {
  "": ["", "+", "\uff0b", "00", "011", "tel:", "(", "#"],
  "0": ["0"],
  "000": ["000"],
  "1": ["1", "001", "+1"],
  "010": ["010"],
  "11": ["0011"],
  "31": ["#31#"],
  "810": ["8~10"],
  x: ["x"]
}

it.each(
  Object.entries(prefixes).flatMap(([left, all]) => all.map((each) => [each, left] as const))
)(
  "the wide form of a number, which is in digests, changes with the version alone: after %j it has %j",
  (prefix, left) => {
    // If another one is right, raise the version in Schema.ts, and run makeVersion.ts.
    expect(Phone.wideForm(`${prefix}44 (0)20-7123 4567`)).toBe(`${left}4402071234567`)
  }
)

/** How a key stands whose send ended so. */
const standings: Readonly<Record<End, SendState | "free">> = {
  sent: "sent",
  unknown: "unknown",
  closed: "closed",
  freed: "free",
  rejected: "rejected"
}

it.live("each send of a stored journal of this version is found", () =>
  Effect.gen(function* () {
    const file = yield* journalFile
    makeStored(file)
    yield* Effect.gen(function* () {
      const { identify, server } = yield* SendJournal
      const ofProgram = programSends.map(({ end, key, request }) => ({
        end,
        send: identify(key, request)
      }))
      for (const sends of [ofProgram, yield* serverSends]) {
        const found = yield* server.look(sends.map(({ send }) => send))
        expect(found).toMatchObject(
          sends.map(({ end }) => ({ state: standings[end], changed: undefined }))
        )
      }
      const used = yield* tryToClaim("another", { approval })
      expect(used).toMatchObject({ _tag: "Refused", refusal: { _tag: "ApprovalUsed" } })
    }).pipe((use) => inFile(file, use))
    const dry = yield* runList(file, { options: ["--dry-run"] })
    const counted = [
      { sent: 1, unknown: 0, closed: 0, rejected: 0 },
      { sent: 0, unknown: 1, closed: 1, rejected: 1 }
    ]
    expect(dry.map(({ events }) => events)).toEqual(
      counted.map((counts) => expect.arrayContaining([expect.objectContaining(counts)]))
    )
    const ofNumber = yield* alone(["sends", "--to", "(1) 201 555 0107", "--journal", file])
    expect(ofNumber.events).toHaveLength(3)
    const pruned = yield* runList(file, { campaign: "pruned" })
    expect(pruned.map(({ code }) => code)).toEqual([1, 1])
    expect(yield* accepted).toEqual([])
  }).pipe(Effect.provide(upstream))
)

it.live("nothing of a stored journal of this version goes out again, unless a person said so", () =>
  Effect.gen(function* () {
    const file = yield* journalFile
    makeStored(file)
    yield* Effect.gen(function* () {
      const { sendOnce } = yield* SendJournal
      for (const { key, request } of programSends) {
        yield* Effect.ignore(sendOnce(key, request))
      }
    }).pipe((use) => inFile(file, use))
    yield* runList(file, { options: ["--allow-repeats"] })
    // The same texts as another campaign: what went out, or may have, is no second SMS.
    for (const end of ["sent", "unknown"] as const) {
      const again = yield* runList(file, { campaign: `again ${end}`, rows: [end] })
      expect(again.map(({ code }) => code)).toEqual([1])
    }
    expect((yield* accepted).toSorted()).toEqual([
      smsOf("campaign", "freed").message,
      smsOf("program", "freed").message
    ])
  }).pipe(Effect.provide(upstream))
)
