/**
 * What a program without types can pass to a journal. It is refused by name, before a row is read or anything
 * is sent.
 */
import { describe, expect, it } from "@effect/vitest"
import { ConfigurationError, InvalidInput } from "@messaging-topup/core"
import { type Row, sendMany, type ToPrune } from "@messaging-topup/journal"
import {
  type Journal,
  openJournal,
  type OpenJournalOptions,
  type SendManyOptions,
  type ToResolve
} from "@messaging-topup/journal/promise"
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { rowOf } from "../harness/campaign/Rows.ts"
import { inMemory } from "../harness/journal/Service.ts"
import { expectNothingShown } from "../harness/Renderings.ts"
import { responseServer } from "../harness/ResponseServer.ts"

/** Wrong values of an option. Where the value has options of its own, `field` says which is named. */
type Wrong = ReadonlyArray<readonly [value: unknown, advice: RegExp, field?: string]>

/** What a program passes that has no types. */
const given = (value: unknown): never => value as never

const thrownBy = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return error
  }
}

type Case = readonly [given: unknown, named: string, advice: RegExp]

/** Each wrong value beside right ones, and names that there are not. */
const casesOf = (
  wrong: Readonly<Record<string, Wrong>>,
  right: Readonly<Record<string, unknown>>,
  bag: string
): ReadonlyArray<Case> => [
  ...Object.entries(wrong).flatMap(([name, values]) =>
    values.map(([value, advice, named = name]): Case => [
      { ...right, [name]: value },
      named,
      advice
    ])
  ),
  ...["dryRun", "message_per_second"].map((name): Case => [
    { ...right, [name]: true },
    name,
    /no such option; the options are \w+, \w+/
  ]),
  [{ ...right, "+15550100123 shown": true }, bag, /no such option/]
]

const notNames: Wrong = [
  [5, /a string/],
  [null, /a string/],
  [["shown"], /a string/],
  ["", /1 to 512/],
  ["x".repeat(513), /1 to 512/],
  ["shown\0", /U\+0000/],
  ["shown\ud800", /surrogate/]
]

/** Two spellings of what people read as one key. */
const notKeys: Wrong = ["shown ", " shown", "shown\r", "\u00a0shown", "sho\twn", "shown\u0085"].map(
  (key) => [key, /white space/]
)

const notFlags: Wrong = [
  ["false", /true or false/],
  [0, /true or false/],
  [null, /true or false/]
]

const hours = { from: "21:00", to: "08:00", timeZone: "Europe/Paris" }

const wrongSendMany = {
  campaign: [...notNames, ...notKeys, [undefined, /a string/]],
  concurrency: [
    [0, /1 to 1000/],
    [1001, /1 to 1000/],
    [1.5, /1 to 1000/],
    ["5", /1 to 1000/],
    [null, /1 to 1000/]
  ],
  messagesPerSecond: [
    [0, /above 0/],
    [Number.NaN, /above 0/],
    [Infinity, /above 0/],
    ["1", /above 0/],
    [null, /above 0/]
  ],
  quietHours: [
    ["21:00-08:00", /an object/],
    [null, /an object/],
    [{ ...hours, from: "9" }, /such as 21:00/, "quietHours.from"],
    [{ ...hours, from: ["21:00"] }, /such as 21:00/, "quietHours.from"],
    [{ ...hours, to: "24:00" }, /such as 08:00/, "quietHours.to"],
    [{ ...hours, to: hours.from }, /must differ/, "quietHours.to"],
    [{ ...hours, timeZone: "Mars/One" }, /IANA/, "quietHours.timeZone"],
    [{ ...hours, timeZone: 1 }, /IANA/, "quietHours.timeZone"],
    [{ ...hours, days: ["Sat"] }, /options are from, to, timeZone/, "quietHours.days"]
  ],
  retryRejected: notFlags,
  attended: notFlags,
  allowRepeats: [
    ["yes", /a set of keys/],
    [["k"], /a set of keys/]
  ],
  onEvent: [
    [5, /a function/],
    [{}, /a function/]
  ]
} satisfies Record<keyof SendManyOptions, Wrong>

const wrongResolve = {
  campaign: notNames,
  key: notNames,
  keys: [
    [undefined, /left out, it is the whole campaign/],
    ["k1", /a list/],
    [["a", 5], /a string/],
    [[""], /1 to 512/]
  ],
  ids: [
    [5, /a list/],
    [["5"], /number of a send/],
    [[1.5], /number of a send/]
  ],
  was: [
    ["unknown", /"not-sent"/],
    [null, /"not-sent"/]
  ]
} satisfies Record<keyof ToResolve, Wrong>

const duration = /must be a duration/

const wrongPrune = {
  campaign: notNames,
  olderThan: [
    [-1, duration],
    [Number.NaN, duration],
    [Infinity, duration],
    ["90", duration],
    [null, duration],
    [{ day: 90 }, duration],
    [new Date(), duration]
  ],
  unknown: notFlags
} satisfies Record<keyof ToPrune, Wrong>

const wrongOpen = {
  journal: [
    [undefined, /undefined, as a variable that is not set/],
    [5, /path of a file/],
    [null, /path of a file/],
    [new URL("file:///shown"), /path of a file/],
    ["", /path of a file/],
    ["sqlite:shown", /path of a file/],
    ["/tmp/shown/", /a slash at its end/]
  ],
  baseUrl: [
    ["shown", /absolute URL/],
    ["http://shown.example", /use https/]
  ],
  token: [["shown token", /as it was issued/]],
  timeout: [
    [0, /positive, finite/],
    [null, /positive, finite/]
  ],
  allowInsecureHttp: notFlags
} satisfies Record<keyof OpenJournalOptions, Wrong>

const readme = readFileSync("packages/journal/README.md", "utf8")

it.each([
  ["openJournal", /^\| `\/promise`.*$/m, wrongOpen],
  ["sendMany", /^`sendMany\(rows, options\)`[^]*?\n\n/m, wrongSendMany],
  ["resolve", /^## A person decides$[^]*?\n## /m, wrongResolve],
  ["prune", /^`prune\([^]*?\n\n/m, wrongPrune]
] as const)("the README has every option of %s", (_, place, options) => {
  const [text = ""] = place.exec(readme) ?? []
  const named = new Set(text.match(/`[^`]*`/g)?.flatMap((code) => code.match(/\w+/g) ?? []))
  expect(Object.keys(options).filter((name) => !named.has(name))).toEqual([])
})

const which = /give \{ campaign \}/

/** Rows that nobody may read. */
const unread: Iterable<Row> = {
  [Symbol.iterator]: () => {
    throw new Error("a row was read")
  }
}

const many = casesOf(wrongSendMany, { campaign: "c" }, "options")

type Call = (journal: Journal, value: never) => Promise<unknown>

const calls: ReadonlyArray<readonly [of: string, cases: ReadonlyArray<Case>, call: Call]> = [
  [
    "sendMany: options",
    [...many, [undefined, "campaign", /a string/], [null, "campaign", /a string/]],
    (journal, value) => journal.sendMany(unread, value)
  ],
  [
    "sendMany: rows",
    [
      [undefined, "rows", /iterable/],
      [5, "rows", /iterable/],
      [{}, "rows", /iterable/],
      ["shown", "rows[0]", /an object/],
      [[null], "rows[0]", /an object/],
      [[undefined], "rows[0]", /an object/],
      [[{ key: "k" }], "rows[0].request", /an object/],
      [[{ key: 5, request: rowOf(1).request }], "rows[0].key", /a string$/],
      [[{ key: "shown\r", request: rowOf(1).request }], "rows[0].key", /white space/],
      [[{ key: "k", request: { message: "shown" } }], "rows[0].recipient", /a string$/],
      [[{ key: "k", request: { ...rowOf(1).request, recipient: null } }], "rows[0].recipient", /a/]
    ],
    (journal, value) => journal.sendMany(value, { campaign: "c" })
  ],
  [
    "sendOnce: key",
    [
      ...[...notNames, ...notKeys].flatMap(([value, advice]): Array<Case> => [
        [{ campaign: value, key: "k" }, "campaign", advice],
        [{ campaign: "c", key: value }, "key", advice]
      ]),
      ...notKeys.map(([value, advice]): Case => [value, "key", advice]),
      [undefined, "key", /a text, or the row/],
      [null, "key", /a text, or the row/],
      [5, "key", /a text, or the row/],
      ["", "key", /1 to 512/],
      [{ campaign: "c", key: "k", keys: [] }, "keys", /options are campaign, key/]
    ],
    (journal, value) => journal.sendOnce(value, rowOf(1).request)
  ],
  [
    "sendOnce: request",
    [
      [undefined, "request", /an object/],
      [null, "request", /an object/],
      ["shown", "request", /an object/],
      [{ recipient: 5, message: "shown" }, "recipient", /a string/]
    ],
    (journal, value) => journal.sendOnce("k", value)
  ],
  [
    "resolve: which",
    [
      ...casesOf(wrongResolve, {}, "which"),
      [undefined, "which", /an object/],
      ["shown", "which", /an object/],
      [{}, "which", which],
      [{ keys: ["a"] }, "which", which],
      [{ campaign: "c", key: "k" }, "which", which],
      [{ key: "k", was: "resend" }, "was", /another decision/]
    ],
    (journal, value) => journal.resolve(value, "resend")
  ],
  [
    "resolve: decision",
    [undefined, null, "Resend", "toString", {}].map((value): Case => [
      value,
      "decision",
      /"resend"/
    ]),
    (journal, value) => journal.resolve({ campaign: "c" }, value)
  ],
  [
    "prune",
    [
      ...casesOf(wrongPrune, {}, "which"),
      [undefined, "which", /an object/],
      [{}, "which", which],
      [{ campaign: "c", olderThan: 0 }, "which", which],
      [{ olderThan: 0, owner: "server" }, "owner", /no such option/]
    ],
    (journal, value) => journal.prune(value)
  ]
]

const expectNamed = (error: unknown, [, named, advice]: Case) => {
  const name = error instanceof ConfigurationError ? { setting: named } : { field: named }
  expect(error).toMatchObject({ ...name, problem: expect.stringMatching(advice) })
  expectNothingShown(["shown"])(error)
}

describe.each(calls)(
  "a script gets an InvalidInput that names what is wrong, %s",
  (_, cases, call) => {
    it.live.each(cases)("%j: %s", (one) =>
      Effect.gen(function* () {
        const { baseUrl, received } = yield* responseServer
        const journal = openJournal({ journal: "memory", baseUrl, token: "a-token" })
        yield* Effect.addFinalizer(() => Effect.promise(journal.close))
        const error = yield* Effect.promise(() =>
          call(journal, given(one[0])).catch((failure: unknown) => failure)
        )
        expect(error).toBeInstanceOf(InvalidInput)
        expectNamed(error, one)
        expect(received).toEqual([])
      })
    )
  }
)

it.effect.each(many)("sendMany of a program with Effect refuses %j: %s", (one) =>
  Effect.gen(function* () {
    const rows = Stream.fromIterable(unread)
    expectNamed(yield* Effect.flip(sendMany(rows, given(one[0]))), one)
  }).pipe(Effect.provide(inMemory))
)

const opening = casesOf(wrongOpen, { baseUrl: "http://127.0.0.1:1", token: "a-token" }, "options")

// At once, as a client: nothing was sent, and no call is asked whether something was.
it.each([
  ...opening,
  [undefined, "options", /an object/],
  [null, "options", /an object/]
] satisfies Array<Case>)("a journal is not opened with %j: %s", (...one) => {
  const error = thrownBy(() => openJournal(given(one[0])))
  expect(error).toBeInstanceOf(ConfigurationError)
  expectNamed(error, one)
})
