import { describe, expect, it } from "@effect/vitest"
import * as core from "@messaging-topup/core"
import * as journal from "@messaging-topup/journal"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { contract, errorTags, type OperationName, operationNames } from "../harness/Contract.ts"

/** Every class, with every combination of its optional fields that matters to its outcome. */
const errorsOf = (operation: OperationName): ReadonlyArray<core.SendSmsError> => [
  ...contract[operation].errors.map((status) => {
    const error = Object.values(core.documentedErrors).find(({ tag }) => tag === errorTags[status])
    if (error === undefined) throw new Error(`no class for ${status}`)
    return new error({ operation, error: { detail: "secret of the service" } })
  }),
  new core.InvalidInput({ operation, field: "recipient", problem: "Expected string" }),
  new core.ConnectionFailed({ operation }),
  new core.ConnectionFailed({ operation, code: "ECONNREFUSED" }),
  ...[undefined, 202, 500].flatMap((status) => {
    const begun = status === undefined ? {} : { status }
    return [
      new core.ConnectionLost({ operation, ...begun, code: "ECONNRESET" }),
      new core.RequestTimedOut({ operation, timeoutMillis: 1.5, started: true, ...begun })
    ]
  }),
  new core.RequestTimedOut({ operation, timeoutMillis: 1, started: false }),
  ...[418, 429].map(
    (status) => new core.UndocumentedStatus({ operation, status, body: "a secret" })
  ),
  new core.UndocumentedStatus({ operation, status: 429, body: "", retryAfterSeconds: 0.5 }),
  ...[200, 202, 404].map(
    (status) => new core.InvalidResponse({ operation, status, problem: "x", body: "a secret" })
  ),
  new core.InvalidResponse({ operation, status: 202, problem: "x", body: "", isAccepted: true })
]

const named = { id: 17, journal: "PostgreSQL" }

/** Those of `sendOnce`, too. */
const all: ReadonlyArray<{
  readonly name: string
  readonly schema: Schema.Codec<journal.SendOnceError, core.EncodedError>
  readonly errors: ReadonlyArray<journal.SendOnceError>
}> = [
  ...operationNames.map((name) => ({
    name,
    schema: core.errorSchema(name),
    errors: errorsOf(name)
  })),
  {
    name: "sendOnce",
    schema: journal.sendOnceErrorSchema,
    errors: [
      ...errorsOf("sendSms"),
      new core.InvalidInput({ operation: "sendOnce", field: "key", problem: "is empty" }),
      new journal.CampaignPruned({ campaign: "c" }),
      new journal.JournalLocked({ waitedSeconds: 10 }),
      new journal.JournalUnavailable({ problem: "full", code: "SQLITE_FULL" }),
      new journal.JournalUnavailable({ problem: "other" }),
      new journal.KeyConflict({ state: "sent" }),
      new journal.OutcomeUnknown({ ...named, since: 1 }),
      new journal.OutcomeUnknown({ ...named, key: "k", since: 1, isOther: true }),
      new journal.SendClosed({ ...named, key: "k" })
    ]
  }
]

/** What a rendering shows of an error. */
const shown = (error: unknown) => ({
  class: Object(error).constructor,
  text: String(error),
  outcome: core.sendOutcome(error),
  fields: { ...Object(error) }
})

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe.for(all)("every error of $name stays the same through", ({ errors, name, schema }) => {
  const decode = Schema.decodeUnknownSync(schema)
  const encode = Schema.encodeUnknownSync(schema)

  it.each(errors)("its schema and JSON, and through JSON alone: %s", (error) => {
    const encoded = JSON.stringify(encode(error))
    expect(encoded).not.toContain("secret")
    // The word would suggest that a second send is safe.
    expect(encoded).not.toMatch(/\bretry\b/)
    expect(shown(decode(JSON.parse(encoded)))).toEqual(shown(error))
    expect(shown(decode(throughJson(error)))).toEqual(shown(error))
    expect(Object(decode(throughJson(error))).message).not.toMatch(/error\.(body|error)/)
  })

  it.each(errors)("Schema.Exit, which workflows and clusters write: %s", (error) => {
    const codec = Schema.toCodecJson(Schema.Exit(Schema.Void, schema, Schema.Defect()))
    const written = Schema.encodeUnknownSync(codec)(Exit.fail(error))
    const exit = Schema.decodeUnknownSync(codec)(throughJson(written))
    expect(shown(Exit.isFailure(exit) ? Cause.squash(exit.cause) : exit)).toEqual(shown(error))
  })

  it("and what is no encoded error of it fails to decode", () => {
    const wrong: ReadonlyArray<unknown> = [
      null,
      {},
      { _tag: "ConnectionFailed" },
      { _tag: "Unknown", operation: name },
      { _tag: "InvalidInput", operation: name, field: 1, problem: "" },
      { _tag: "RequestTimedOut", operation: name, timeoutMillis: 1 },
      ...(name.startsWith("send") ? [] : [{ _tag: "PaymentRequired", operation: name }])
    ]
    for (const value of wrong) expect(() => decode(value)).toThrow(/Expected|Missing/)
  })
})
