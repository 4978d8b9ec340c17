/**
 * What a response means for the operation that asked.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { InvalidResponse } from "../errors/InvalidResponse.ts"
import { UndocumentedStatus } from "../errors/UndocumentedStatus.ts"
import type { Response } from "./Exchange.ts"
import type { Operation } from "./Operation.ts"

const strict = new TextDecoder("utf-8", { fatal: true })
const lenient = new TextDecoder()

type Redact = (text: string) => string

/** The service's own words, without the token should they repeat it. */
const redacted = (json: unknown, redact: Redact): unknown => {
  if (!Predicate.hasProperty(json, "error") || !Predicate.isObject(json.error)) return json
  const words = Object.entries(json.error).map(([key, value]) => [
    key,
    Predicate.isString(value) ? redact(value) : value
  ])
  return { ...json, error: Object.fromEntries(words) }
}

const parse = (bytes: Uint8Array): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(strict.decode(bytes)),
    // The parser's own message repeats the text.
    catch: () => (bytes.length === 0 ? "an empty body" : "a body that is not JSON")
  })

/** The success, or the error of the operation's channel. */
export const decodeResponse = (
  { responses }: Operation,
  { body, status }: Response,
  retryAfterSeconds: number | undefined,
  redact: Redact
): Result.Result<unknown, unknown> => {
  const text = () => redact(lenient.decode(body.bytes))
  const documented = responses.get(status)
  if (documented === undefined) {
    return Result.fail(
      new UndocumentedStatus({
        status,
        body: text(),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
      })
    )
  }
  const invalid = (problem: string) =>
    Result.fail(new InvalidResponse({ status, problem, body: text() }))
  if (body.truncated) return invalid(`more than ${body.bytes.length} bytes`)
  const json = parse(body.bytes)
  if (Result.isFailure(json)) return invalid(json.failure)
  const reading = documented.read(
    documented.isError ? redacted(json.success, redact) : json.success
  )
  if (Result.isFailure(reading)) {
    const { path, problem } = reading.failure
    return invalid(path === "" ? problem : `${path}: ${problem}`)
  }
  return reading.success
}
