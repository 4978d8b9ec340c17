/** The schemas of faults. */
import * as Schema from "effect/Schema"
import type { Fault } from "./Fault.ts"

const times = Schema.optionalKey(
  Schema.Int.check(Schema.isGreaterThan(0)).annotate({
    description: "How many requests get the fault; if absent, all until it is cleared"
  })
)

const kind = <const Name extends Fault["fault"], const Fields extends Schema.Struct.Fields>(
  name: Name,
  title: string,
  description: string,
  fields: Fields
) => Schema.Struct({ fault: Schema.tag(name), ...fields, times }).annotate({ title, description })

const status = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const headerName = /^[\w!#$%&'*+.^`|~-]+$/

const headerValue = Schema.String.check(
  Schema.isPattern(/^[\t\x20-\x7e\x80-\xff]*$/, { expected: "a value that a header allows" })
)

/** These headers define where a response ends, so that a wrong value breaks it. */
const framing: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection"])

const headers = Schema.Record(Schema.String, headerValue).check(
  Schema.makeFilter((record) => Object.keys(record).every((name) => headerName.test(name)), {
    expected: "valid header names"
  }),
  Schema.makeFilter((record) => {
    const name = Object.keys(record).find((given) => framing.has(given.toLowerCase()))
    return name === undefined || { path: [name], issue: "The sandbox sets this header: remove it" }
  })
)

/** HTTP allows no body with these statuses. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

const response = Schema.Struct({
  fault: Schema.tag("Response"),
  status: status(200, 599),
  body: Schema.optionalKey(Schema.String),
  headers: Schema.optionalKey(headers),
  times
})
  .check(
    Schema.makeFilter(
      ({ body = "", status: given }) =>
        body === "" ||
        !withoutBody.has(given) || {
          path: ["body"],
          issue: `A response with status ${given} has no body: remove it`
        }
    )
  )
  .annotate({ title: "Another response", description: "Sends this response; accepts nothing" })

/** The faults that accept nothing; `NoResponse` only if it is told to. */
const beforeAcceptance = [
  response,
  kind("Redirect", "Redirect", "Redirects; accepts nothing", {
    status: status(300, 399),
    location: headerValue
  }),
  kind(
    "ResetBeforeAcceptance",
    "Reset before acceptance",
    "Accepts nothing and resets the connection",
    {}
  ),
  kind("NoResponse", "No response", "Never responds; accepts nothing, unless told to", {
    accept: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Whether the SMS is accepted first" })
    )
  })
] as const

/** The faults that accept the SMS first. */
export const afterAcceptance = [
  kind(
    "ResetAfterAcceptance",
    "Reset after acceptance",
    "Accepts, then resets the connection before any response",
    {}
  ),
  kind(
    "HeadersThenSilence",
    "Headers, then silence",
    "Accepts, sends status and headers, then nothing more",
    {}
  ),
  kind("EndlessBody", "Endless body", "Accepts, then sends a body that never ends", {}),
  kind(
    "OversizedBody",
    "Oversized body",
    "Accepts and sends the correct body, padded to this many bytes, at most 100 MiB",
    { bytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 * 1024 * 1024 })) }
  ),
  kind(
    "TruncatedJson",
    "Truncated JSON",
    "Accepts and sends the first half of the correct body",
    {}
  ),
  kind(
    "WrongContentType",
    "Wrong content type",
    "Accepts and sends the correct body as text/html",
    {}
  ),
  kind(
    "BodyCutOff",
    "Body cut off",
    "Accepts, sends half of the announced body, then resets the connection",
    {}
  )
] as const

const overHttp = [...beforeAcceptance, ...afterAcceptance] as const

/**
 * A fault for the next requests. `ConnectionRefused` is not included, because no request could
 * clear it over HTTP.
 */
export const FaultRequest = Schema.Union(overHttp).annotate({
  identifier: "FaultRequest",
  message: `Expected a JSON object whose field fault is one of ${overHttp.map(({ fields }) => fields.fault.schema.literal).join(", ")}. ConnectionRefused is not available over HTTP, because no request could clear it: set it in the program that runs the sandbox`
})

/**
 * A fault that is set. `times` is how many requests still get it. Only the program that runs the
 * sandbox can set `ConnectionRefused`.
 */
export const ActiveFault = Schema.Union([
  ...overHttp,
  kind("ConnectionRefused", "Connection refused", "Refuses connections", {})
]).annotate({ identifier: "ActiveFault" })

/** The fault that the next request gets. */
export const CurrentFault = Schema.Struct({
  fault: Schema.NullOr(ActiveFault).annotate({ description: "null if no fault is set" })
}).annotate({ identifier: "CurrentFault" })
