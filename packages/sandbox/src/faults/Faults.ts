/**
 * The faults: their settings, their words, their form and what they do. A new one is its type in
 * `Types.ts`, which imports nothing, and its entry in the table below.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { ConnectionReset } from "../http/Body.ts"
import { documentedTitles, errorBody } from "../http/ErrorResponses.ts"
import { type Html, html } from "../Html.ts"
import type { Fault, SandboxFault } from "../Types.ts"

type Name = Fault["fault"]

type FaultOf<Known extends Name> = Extract<Fault, { readonly fault: Known }>

/**
 * What a fault does. `accept` handles the request and makes the correct response: a fault before
 * acceptance does not run it. The transports write the response that it returns. They reset the
 * connection if the effect or the body fails, and send nothing while neither produces anything.
 */
type Apply<Known extends Name> = (
  fault: FaultOf<Known>,
  accept: Effect.Effect<Response>
) => Effect.Effect<Response, ConnectionReset>

interface Entry<Known extends Name> {
  readonly title: string
  /** What the client sees. */
  readonly response: string
  /** Whether the SMS is accepted. */
  readonly accepted: string
  readonly settings: Schema.Codec<Extract<SandboxFault, { readonly fault: Known }>>
  /** The settings in the form. */
  readonly inputs?: Html
  /** The settings in words, after the title. */
  readonly detail?: (fault: FaultOf<Known>) => string
  readonly apply: Apply<Known>
}

/** How long a fault lasts, and which requests it concerns. */
const reach = {
  times: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThan(0)).annotate({
      description:
        "how many requests to the five endpoints get the fault; without it, all do until it is cleared"
    })
  ),
  rate: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1, exclusiveMinimum: true }))
  ),
  seed: Schema.optionalKey(Schema.Int)
}

/** The settings of every fault, in the form. */
export const reachInputs = html`
  <label class="field">
    For how many requests (empty: until it is cleared)
    <input name="times" type="number" min="1" value="1" />
  </label>
  <div class="line">
    <label class="field">
      Share, such as 0.02 <input name="rate" type="number" min="0.000001" max="1" step="any" />
    </label>
    <label class="field">Seed of the share <input name="seed" type="number" /></label>
  </div>
`

const settings = <const Known extends Name, const Fields extends Schema.Struct.Fields>(
  name: Known,
  fields: Fields
) => Schema.Struct({ fault: Schema.tag(name), ...fields, ...reach })

const headerName = /^[\w!#$%&'*+.^`|~-]+$/

const headerValue = Schema.String.check(
  Schema.isPattern(/^[\t\x20-\x7e\x80-\xff]*$/, { expected: "a value that a header allows" })
)

/** These headers define where a response ends, so that a wrong value breaks it. */
const framing: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection"])

const headers = Schema.Record(Schema.String, headerValue).check(
  Schema.makeFilter((given) => Object.keys(given).every((name) => headerName.test(name)), {
    expected: "valid header names"
  }),
  Schema.makeFilter((given) => {
    const name = Object.keys(given).find((each) => framing.has(each.toLowerCase()))
    return name === undefined || `The sandbox sets ${name.toLowerCase()}: remove it`
  })
)

/** HTTP allows no body with these statuses. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

const bodyOf = ({ body, status }: FaultOf<"Response">): string =>
  body ??
  (documentedTitles[status] === undefined
    ? ""
    : JSON.stringify(errorBody(status, "A fault that was set")))

const reset = Effect.fail(new ConnectionReset())

const bytesOf = (response: Response) =>
  Effect.map(
    Effect.promise(() => response.arrayBuffer()),
    (buffer) => new Uint8Array(buffer)
  )

const firstHalf = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes.slice(0, Math.ceil(bytes.length / 2))

const rebuilt = (
  { headers: given, status }: Response,
  body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>,
  announced: number | undefined
): Response => {
  const all = new Headers(given)
  all.delete("content-length")
  if (announced !== undefined) all.set("content-length", String(announced))
  return new Response(body, { status, headers: all })
}

const streamed = <E>(
  response: Response,
  body: Stream.Stream<Uint8Array<ArrayBuffer>, E>,
  announced?: number
) =>
  Effect.map(Stream.toReadableStreamEffect(body), (stream) => rebuilt(response, stream, announced))

/** In the order of the form and of the README. */
export const faults: { readonly [Known in Name]: Entry<Known> } = {
  Response: {
    title: "A response of your own",
    response: "that response",
    accepted: "no",
    settings: settings("Response", {
      status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
      body: Schema.optionalKey(
        Schema.String.annotate({
          description:
            "without it, the documented error body if the status is that of a documented error, otherwise none"
        })
      ),
      headers: Schema.optionalKey(headers)
    }).check(
      Schema.makeFilter(
        ({ body = "", status }) =>
          body === "" ||
          !withoutBody.has(status) || {
            path: ["body"],
            issue: `A response with status ${status} has no body: remove it`
          }
      )
    ),
    inputs: html`
      <label class="field">
        Status <input name="status" type="number" min="200" max="599" value="503" required />
      </label>
      <label class="field">Body <textarea name="body" rows="2"></textarea></label>
      <label class="field">
        Headers, one a line, such as Retry-After: 5
        <textarea name="headers" rows="2"></textarea>
      </label>
    `,
    detail: ({ status }) => `, ${status}`,
    apply: (fault) =>
      Effect.sync(
        () =>
          // Some statuses do not allow a body, not even an empty one.
          new Response(bodyOf(fault) || null, {
            status: fault.status,
            headers: { "content-type": "application/json", ...fault.headers }
          })
      )
  },
  ResetBeforeAcceptance: {
    title: "Reset before acceptance",
    response: "a reset before any response",
    accepted: "no",
    settings: settings("ResetBeforeAcceptance", {}),
    apply: () => reset
  },
  ResetAfterAcceptance: {
    title: "Reset after acceptance",
    response: "a reset before any response",
    accepted: "yes",
    settings: settings("ResetAfterAcceptance", {}),
    apply: (_, accept) => Effect.andThen(accept, reset)
  },
  NoResponse: {
    title: "No response",
    response: "silence without end",
    accepted: 'only with `"accept":true`',
    settings: settings("NoResponse", { accept: Schema.optionalKey(Schema.Boolean) }),
    inputs: html`
      <label class="line"><input name="accept" type="checkbox" /> Accept the SMS first</label>
    `,
    detail: ({ accept }) => (accept === true ? ", SMS accepted" : ""),
    apply: ({ accept: isAccepted }, accept) =>
      isAccepted === true ? Effect.andThen(accept, Effect.never) : Effect.never
  },
  HeadersThenSilence: {
    title: "Headers, then silence",
    response: "the success status and headers, then silence without end",
    accepted: "yes",
    settings: settings("HeadersThenSilence", {}),
    apply: (_, accept) => Effect.flatMap(accept, (response) => streamed(response, Stream.never))
  },
  TruncatedJson: {
    title: "Truncated JSON",
    response: "a complete message with half of the JSON",
    accepted: "yes",
    settings: settings("TruncatedJson", {}),
    apply: Effect.fnUntraced(function* (_, accept) {
      const response = yield* accept
      const half = firstHalf(yield* bytesOf(response))
      return rebuilt(response, half, half.length)
    })
  },
  BodyCutOff: {
    title: "Body cut off",
    response: "half of the announced body, then a reset",
    accepted: "yes",
    settings: settings("BodyCutOff", {}),
    apply: Effect.fnUntraced(function* (_, accept) {
      const response = yield* accept
      const bytes = yield* bytesOf(response)
      const body = Stream.concat(Stream.make(firstHalf(bytes)), Stream.fail(new ConnectionReset()))
      return yield* streamed(response, body, bytes.length)
    })
  },
  Slow: {
    title: "Slow response",
    response: "the correct response, after these seconds",
    accepted: "yes",
    settings: settings("Slow", {
      seconds: Schema.Finite.check(
        Schema.isBetween({ minimum: 0, maximum: 3600, exclusiveMinimum: true })
      )
    }),
    inputs: html`
      <label class="field">
        Seconds
        <input name="seconds" type="number" min="0.001" max="3600" step="any" value="5" required />
      </label>
    `,
    detail: ({ seconds }) => `, ${seconds} s`,
    apply: ({ seconds }, accept) =>
      Effect.tap(accept, () => Effect.sleep(Duration.seconds(seconds)))
  }
}

export const faultNames = Struct.keys(faults)

/** A fault to set, or that is set: then `times` is how many requests still get it. */
export const AnyFault: Schema.Codec<SandboxFault> = Schema.Union(
  Object.values(faults).map((entry) => entry.settings)
).annotate({
  identifier: "Fault",
  message: `Expected a JSON object whose field fault is one of ${faultNames.join(", ")}`
})

const entryOf = <Known extends Name>(fault: FaultOf<Known>): Entry<Known> => faults[fault.fault]

/** `Slow response, 5 s`. */
export const describeSettings = <Known extends Name>(fault: FaultOf<Known>): string => {
  const { detail, title } = entryOf(fault)
  return title + (detail?.(fault) ?? "")
}

export const applyFault = <Known extends Name>(
  fault: FaultOf<Known>,
  accept: Effect.Effect<Response>
): Effect.Effect<Response, ConnectionReset> => entryOf(fault).apply(fault, accept)
