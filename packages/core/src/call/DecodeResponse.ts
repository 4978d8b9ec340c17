/**
 * Turns a response into the result or the error of an operation. Only the HTTP status decides
 * which.
 *
 * Bodies are read leniently: a field that the description does not mark as required may be missing or of
 * another type, `null` counts as missing, a number is kept as a text where a text is described, and an
 * invalid list entry does not affect the others. Nothing is guessed.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"
import { InvalidResponse, UndocumentedStatus } from "../errors/ClientFailures.ts"
import type { ErrorDetail, OperationError } from "../errors/DocumentedErrors.ts"
import { missing, problemOf } from "../errors/Failure.ts"
import type { Endpoint } from "../operations/Endpoints.ts"
import { ErrorBody } from "../operations/Schemas.ts"
import { firstProblem, type Problem } from "./SchemaProblem.ts"
import type { TokenRedaction } from "./TokenRedaction.ts"
import type { Body, Received } from "./Transport.ts"

const strict = new TextDecoder("utf-8", { fatal: true })
const lenient = new TextDecoder()

/** The maximum length of the texts of a response that an error keeps. */
const maxKept = 64 * 1024

const parse = (bytes: Uint8Array, decoder: TextDecoder): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(decoder.decode(bytes)),
    // The parser's own message repeats the body.
    catch: () => (bytes.length === 0 ? "an empty body" : "a body that is not JSON")
  })

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns why a complete body does not say that an SMS was accepted. It can be that of a firewall, and a
 * person would wait for an SMS that never comes.
 */
const refusalIn = ({ data, error, success }: Fields): string | undefined => {
  if (Predicate.isObject(error)) return "error: the body has an error"
  if (success !== true) return "success: the body does not say true"
  return Array.isArray(data) && data.some(Predicate.isObject) ? undefined : "data: no result"
}

/**
 * Returns why a body is not what was described without an envelope: in one, `status` is a number, the HTTP status. A
 * field of an envelope that says nothing, such as `"error": false`, is ignored as every field that is not described.
 */
const envelopeIn = ({ data, error, status, success }: Fields): string | undefined =>
  Predicate.isNumber(status) ||
  Predicate.isBoolean(success) ||
  data === true ||
  Predicate.isObjectOrArray(data) ||
  !(Predicate.isNullish(error) || error === "" || error === false)
    ? "an envelope, which is not described here"
    : undefined

/** A page, or a field with which an SMS is not accepted. A field may have broken off before its value. */
const contradiction =
  /^\s*<|"success"\s*:\s*[^\st]|"error"\s*:\s*[^\sn]|"data"\s*:\s*(?:[^\s[]|\[\s*\])/

/** Whether what is no JSON says, as far as it goes, that an SMS was accepted: a part of it may be missing. */
const mayAccept = (text: string): boolean =>
  /^\s*\{\s*(?:"|$)/.test(text) &&
  !contradiction.test(text) &&
  (/"success"\s*:\s*true/.test(text) || !/\}\s*$/.test(text))

/** A double keeps 15 decimal digits. A larger integer or a longer fraction may have lost some. */
const isExact = (value: unknown): boolean =>
  Number.isSafeInteger(value) || /^-?\d{1,9}\.\d{1,6}$/.test(String(value))

/** The value of a field; `undefined` if it is not of the described type. */
const fieldOf = (type: SchemaAST.AST, value: unknown): unknown => {
  if (SchemaAST.isString(type)) {
    return Predicate.isNumber(value) && isExact(value)
      ? String(value)
      : Predicate.isString(value)
        ? value
        : undefined
  }
  if (SchemaAST.isNumber(type)) return Number.isSafeInteger(value) ? value : undefined
  if (SchemaAST.isBoolean(type)) return Predicate.isBoolean(value) ? value : undefined
  return mended(type, value)
}

/** Returns the described fields of a value, without the optional ones that cannot be read. */
const mended = (type: SchemaAST.AST, value: unknown): unknown => {
  if (SchemaAST.isArrays(type) && Array.isArray(value)) {
    const [item] = type.rest
    return item === undefined ? value : value.map((each: unknown) => mended(item, each))
  }
  if (!SchemaAST.isObjects(type) || !Predicate.isObject(value)) return value
  const given = new Map<PropertyKey, unknown>(Object.entries(value))
  return Object.fromEntries(
    type.propertySignatures.flatMap(({ name, type: field }): Array<[PropertyKey, unknown]> => {
      const found = given.get(name) ?? undefined
      const read = fieldOf(field, found)
      if (read !== undefined) return [[name, read]]
      return found === undefined || SchemaAST.isOptional(field) ? [] : [[name, found]]
    })
  )
}

/** Decodes what can be read of a value. */
const lenientDecoderOf = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = SchemaParser.decodeUnknownResult(schema)
  return (json: unknown) => decode(mended(schema.ast, json))
}

/** Fails without an `error` object: the body is not from the service. */
const decodeError = lenientDecoderOf(ErrorBody)

type Decode = (json: unknown) => Result.Result<object, Problem>

const joined = ({ path, problem }: Problem): string =>
  path === "" ? problem : problemOf(path, problem)

/** Reads the entries of a list one by one, and counts those that it leaves out, unless they are most of them. */
const entriesDecoder = (
  decodeEnvelope: Decode,
  { field, schema }: NonNullable<Endpoint["success"]["entries"]>
): Decode => {
  const decodeEntry = lenientDecoderOf(schema)
  return (json) => {
    const entries = Predicate.hasProperty(json, field) ? json[field] : undefined
    if (!Predicate.isObject(json) || !Array.isArray(entries)) return decodeEnvelope(json)
    const envelope = decodeEnvelope({ ...json, [field]: [] })
    if (Result.isFailure(envelope)) return envelope
    const read = entries.map(decodeEntry)
    const readable = read.filter(Result.isSuccess).map(({ success }) => success)
    const first = read.find(Result.isFailure)
    if (first !== undefined && readable.length * 2 < read.length) {
      // Only one is described, because that is slow.
      const { path, problem } = firstProblem(first.failure)
      return Result.fail({ path: `${field}.${read.indexOf(first)}${path && `.${path}`}`, problem })
    }
    const unreadable = read.length - readable.length
    return Result.succeed({
      ...envelope.success,
      [field]: readable,
      ...(unreadable === 0 ? {} : { unreadable })
    })
  }
}

const successDecoder = ({ success }: Endpoint): Decode => {
  const decode = SchemaParser.decodeUnknownResult(success.schema)
  const decodeNeeded = lenientDecoderOf(success.needed ?? success.schema)
  const decodeWhole: Decode = (json) => Result.mapError(decodeNeeded(json), firstProblem)
  const decodeLeniently =
    success.entries === undefined ? decodeWhole : entriesDecoder(decodeWhole, success.entries)
  return (json) => {
    const read = decode(json)
    // What is wrong is described only if the body cannot be read leniently either.
    return Result.isSuccess(read) ? Result.succeed(read.success) : decodeLeniently(json)
  }
}

/** Returns a function that reads the responses of an endpoint. */
export const responseDecoder = (
  endpoint: Endpoint,
  maxBodyBytes: number,
  { maxLength, redact }: TokenRedaction
) => {
  const { errors, name: operation, success } = endpoint
  const decode = successDecoder(endpoint)
  const classes = new Map<number, Endpoint["errors"][number]>(
    errors.map((each) => [each.status, each])
  )

  /** More than is kept, because a text without the token is shorter. */
  const maxRead = maxKept + 2 * maxLength

  /** The text that an error keeps. A cut could leave a part of the token, so the end of a cut text goes. */
  const keep = (text: string, isCut = text.length > maxRead): string => {
    const redacted = redact(text.slice(0, maxRead))
    const end = isCut ? Math.max(0, redacted.length - maxLength) : undefined
    return redacted.slice(0, end).slice(0, maxKept)
  }

  const keptDetail = ({ detail, title, ...status }: ErrorDetail): ErrorDetail => ({
    ...status,
    ...(title === undefined ? {} : { title: keep(title) }),
    ...(detail === undefined ? {} : { detail: keep(detail) })
  })

  const kept = ({ bytes, truncated }: Body): string =>
    keep(lenient.decode(bytes.subarray(0, maxRead)), truncated || bytes.length > maxRead)

  /** The status of an acceptance, which its body must confirm. */
  const acceptance = success.mustSucceed === true ? success.status : undefined

  /** Returns why the body of a success does not say what it is described for. */
  const refusalOf = (json: unknown): string | undefined => {
    const fields = Predicate.isObject(json) ? json : {}
    if (success.mustSucceed === true) return refusalIn(fields)
    return success.hasNoEnvelope === true ? envelopeIn(fields) : undefined
  }

  const invalid = ({ body, status }: Received, problem: string, isAccepted = false) => {
    const accepted = isAccepted && status === acceptance ? { isAccepted } : {}
    return Result.fail(
      new InvalidResponse({ operation, status, problem, body: kept(body), ...accepted })
    )
  }

  /** A body that is not complete, or no JSON. */
  const unreadable = (received: Received, problem: string) =>
    invalid(received, problem, mayAccept(lenient.decode(received.body.bytes)))

  const decodeResponse = (
    received: Received,
    retryAfterSeconds: number | undefined
  ): Result.Result<object, OperationError> => {
    const { body, status } = received
    const documented = classes.get(status)
    if (documented === undefined && status !== success.status) {
      const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
      return Result.fail(new UndocumentedStatus({ operation, status, body: kept(body), ...wait }))
    }
    if (body.truncated) return unreadable(received, `more than ${maxBodyBytes} bytes`)
    const json = parse(body.bytes, documented === undefined ? strict : lenient)
    if (Result.isFailure(json)) return unreadable(received, json.failure)
    if (documented !== undefined) {
      const read = decodeError(json.success)
      return Result.isSuccess(read)
        ? Result.fail(new documented({ operation, error: keptDetail(read.success.error) }))
        : invalid(received, problemOf("error", missing))
    }
    const refusal = refusalOf(json.success)
    if (refusal !== undefined) return invalid(received, refusal)
    const decoded = decode(json.success)
    return Result.isSuccess(decoded)
      ? Result.succeed(decoded.success)
      : invalid(received, joined(decoded.failure), true)
  }

  /** An undocumented status needs no body, and a body that contradicts an acceptance no more of it. */
  const needsRest = (status: number, arrived: Uint8Array): boolean =>
    status === acceptance
      ? !contradiction.test(lenient.decode(arrived))
      : status === success.status || classes.has(status)

  return { decodeResponse, needsRest }
}
