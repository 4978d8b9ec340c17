import { expect, it } from "@effect/vitest"
import { layerMemory, SendJournal } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { observed, renderings, renderingsWithHidden } from "../support/Renderings.ts"
import { begun } from "./conformance/Slices.ts"
import { rewriting } from "./support/Statements.ts"
import { service } from "./support/Service.ts"

const sms = { recipient: "+15550107391", message: "Your code is 880153" }
const other = { recipient: "+15550107392", message: "Your code is 880154" }

/** The number and the code, in any of their spellings. */
const personal = /0107391|0107392|88015/

const expectNothingShown = (texts: Readonly<Record<string, string>>): void => {
  const shown = Object.entries(texts).filter(([, text]) => personal.test(text))
  expect(shown).toEqual([])
}

const services = Layer.merge(layerMemory, service)

it.effect("no error of the journal shows a number or a text, however it is printed", () =>
  Effect.gen(function* () {
    const journal = yield* SendJournal
    const sandbox = yield* Sandbox
    yield* journal.append("c", [{ key: "a", request: sms }])
    yield* sandbox.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    yield* Effect.flip(journal.sendOnce("k", sms))
    const errors = [
      yield* Effect.flip(journal.append("c", [{ key: "a", request: other }])),
      yield* Effect.flip(journal.append("c", [{ key: "", request: other }])),
      yield* Effect.flip(journal.sendOnce("", other)),
      yield* Effect.flip(journal.sendOnce("k", sms)),
      yield* Effect.flip(journal.sendOnce("k", other)),
      yield* Effect.flip(journal.begin(7)),
      yield* journal
        .resolve("k", "rejected")
        .pipe(Effect.andThen(Effect.flip(journal.sendOnce("k", sms))))
    ]
    expect(errors.map(({ _tag }) => _tag)).toEqual([
      "RowConflict",
      "RowRefused",
      "InvalidInput",
      "OutcomeUnknown",
      "RowConflict",
      "SliceNotFound",
      "SendRejected"
    ])
    for (const error of errors) {
      expectNothingShown(renderings(error))
      expectNothingShown(renderingsWithHidden(error))
      expect(error.message).toMatch(/nothing was (sent|stored)|not sent|sent nothing|^key: /i)
    }
  }).pipe(Effect.provide(services))
)

it.effect("no error of the database shows the values to store", () =>
  Effect.gen(function* () {
    // Violates a unique constraint: the text of the database's error must not be passed on.
    const breaking = (sql: string) => sql.replace("select id, $1, key", "select id, $1, recipient")
    const append = Effect.flatMap(SendJournal, (journal) =>
      journal.append("c", [
        { key: "a", request: sms },
        { key: "b", request: sms }
      ])
    )
    const error = yield* Effect.flip(Effect.provide(rewriting(breaking, append), services))
    expect(error).toMatchObject({ _tag: "JournalUnavailable", problem: "other" })
    expectNothingShown(renderings(error))
    expectNothingShown(renderingsWithHidden(error))
  })
)

it.effect("spans, logs and metrics of the journal show neither number nor text", () =>
  Effect.gen(function* () {
    const { logs, texts } = yield* observed(
      Effect.gen(function* () {
        const { attempt, ids, journal } = yield* begun("a")
        yield* journal.append("d", [{ key: "x", request: sms }])
        yield* journal.exchange(attempt, { settle: [], claim: ids })
        yield* journal.sendOnce("k", sms)
        return yield* journal.sendOnce("k", other)
      })
    )
    // A span also keeps the result of its call, which belongs to the caller.
    const shown = Object.entries(texts).filter(([name]) => !/: span( status)?$/.test(name))
    expect(shown.length).toBeGreaterThan(0)
    expectNothingShown({ ...Object.fromEntries(shown), logs })
  }).pipe(Effect.provide(services))
)
