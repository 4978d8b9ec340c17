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
import type { ErrorBody, ErrorDetail } from "../errors/DocumentedErrors.ts"
import type { Endpoint, OperationError } from "../operations/Endpoint.ts"
import type { UnreadableEntry } from "../operations/Model.ts"
import { firstProblem, type Problem } from "./SchemaProblem.ts"
import { requestIdIn } from "./RequestId.ts"
import type { Received } from "./Send.ts"
import type { ResponseHeaders } from "./WireRequest.ts"
import type { TokenRedaction } from "./TokenRedaction.ts"

const strict = new TextDecoder("utf-8", { fatal: true })
const lenient = new TextDecoder()

/** The maximum size of the body that an error keeps, in bytes. */
const maxKeptBytes = 64 * 1024

const encoder = new TextEncoder()

/** Cuts the text to `maxKeptBytes`. */
const cut = (text: string): string =>
  // A UTF-16 code unit has at most three bytes in UTF-8.
  text.length * 3 <= maxKeptBytes
    ? text
    : text.slice(0, encoder.encodeInto(text, new Uint8Array(maxKeptBytes)).read)

/**
 * Returns what an error keeps of a response, without the token. The token is removed before the text is cut,
 * because a cut could leave half of the token. So the text that is read is longer than the text
 * that is kept, by the maximum length of the token.
 */
export const makeKeeper = ({ maxBytes, redact }: TokenRedaction) => {
  const maxReadBytes = maxKeptBytes + maxBytes
  const keepText = (text: string, isCut: boolean): string =>
    cut(redact(text.slice(0, maxReadBytes), isCut || text.length > maxReadBytes))
  const idIn = (headers: ResponseHeaders) => requestIdIn(headers, redact)
  return {
    keepText: (text: string) => keepText(text, false),
    requestIdIn: idIn,
    kept: ({ body: { bytes, truncated }, headers }: Received) => ({
      body: keepText(
        lenient.decode(bytes.subarray(0, maxReadBytes)),
        truncated || bytes.length > maxReadBytes
      ),
      ...idIn(headers)
    })
  }
}

export type Keeper = ReturnType<typeof makeKeeper>

const parse = (bytes: Uint8Array, decoder: TextDecoder): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(decoder.decode(bytes)),
    // The parser's own message repeats the body.
    catch: () => (bytes.length === 0 ? "an empty body" : "a body that is not JSON")
  })

/** Missing fields are accepted, but without an `error` object the body is not from the service. */
const errorBodyIn = (json: unknown, keepText: (text: string) => string): ErrorBody | undefined => {
  if (!Predicate.hasProperty(json, "error") || !Predicate.isObject(json.error)) return undefined
  const { error } = json
  const status: unknown = Reflect.get(error, "status")
  const success: unknown = Reflect.get(json, "success")
  const textIn = (key: "title" | "detail"): ErrorDetail => {
    const text: unknown = Reflect.get(error, key)
    return Predicate.isString(text) ? { [key]: keepText(text) } : {}
  }
  return {
    ...(Predicate.isBoolean(success) ? { success } : {}),
    error: {
      ...(Number.isSafeInteger(status) ? { status: Number(status) } : {}),
      ...textIn("title"),
      ...textIn("detail")
    }
  }
}

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

type Decode = (json: unknown) => Result.Result<object, Problem>

const decoderOf = (schema: Schema.Codec<unknown, unknown>): Decode => {
  const parsed = SchemaParser.decodeUnknownResult(schema)
  return (json) => Result.mapBoth(parsed(json), { onSuccess: Object, onFailure: firstProblem })
}

/** Decodes what can be read of a value. */
const lenientDecoderOf = (schema: Schema.Codec<unknown, unknown>): Decode => {
  const decode = decoderOf(schema)
  return (json) => decode(mended(schema.ast, json))
}

/** Limits the work, because describing an invalid entry is slow. */
const maxUnreadable = 100

const joined = (path: string, problem: string): string =>
  path === "" ? problem : `${path}: ${problem}`

/**
 * Reads a list entry by entry. Fails if the body around the list is invalid, if all entries are, or
 * if more than `maxUnreadable` are.
 */
const entriesDecoder = (
  decode: Decode,
  { field, schema }: NonNullable<Endpoint["success"]["entries"]>
): Decode => {
  const decodeEntry = lenientDecoderOf(schema)
  return (json) => {
    const body: Readonly<Record<string, unknown>> = Object(json)
    const list = body[field]
    if (!Array.isArray(list)) return decode(body)
    const envelope = decode({ ...body, [field]: [] })
    if (Result.isFailure(envelope)) return envelope
    const readable: Array<object> = []
    const unreadable: Array<UnreadableEntry> = []
    for (const [index, entry] of list.entries()) {
      const read = decodeEntry(entry)
      if (Result.isSuccess(read)) readable.push(read.success)
      else if (unreadable.length === maxUnreadable) {
        const problem = `more than ${maxUnreadable} entries are not as described`
        return Result.fail({ path: field, problem })
      } else {
        unreadable.push({ index, problem: joined(read.failure.path, read.failure.problem) })
      }
    }
    const [first] = unreadable
    if (first !== undefined && readable.length === 0) {
      return Result.fail({ path: `${field}.${first.index}`, problem: first.problem })
    }
    const decoded = { ...envelope.success, [field]: readable }
    return Result.succeed(first === undefined ? decoded : { ...decoded, unreadable })
  }
}

const successDecoder = ({ success }: Endpoint): Decode => {
  const decode = SchemaParser.decodeUnknownResult(success.schema)
  const fallback = lenientDecoderOf(success.needed ?? success.schema)
  const decodeLeniently =
    success.entries === undefined ? fallback : entriesDecoder(fallback, success.entries)
  return (json) => {
    const read = decode(json)
    // What is wrong is described only if the body cannot be read leniently either.
    return Result.isSuccess(read) && Predicate.isObject(read.success)
      ? Result.succeed(read.success)
      : decodeLeniently(json)
  }
}

export const responseDecoder = (endpoint: Endpoint) => {
  const { errors, name: operation, success } = endpoint
  const decode = successDecoder(endpoint)
  const classes = new Map<number, Endpoint["errors"][number]>(
    errors.map((each) => [each.status, each])
  )

  const invalid = (
    received: Received,
    { kept }: Keeper,
    problem: string,
    says: { readonly success?: false } = {}
  ) =>
    Result.fail(
      new InvalidResponse({
        status: received.status,
        problem,
        ...kept(received),
        operation,
        ...says
      })
    )

  const decodeResponse = (
    received: Received,
    retryAfterSeconds: number | undefined,
    keeper: Keeper
  ): Result.Result<object, OperationError> => {
    const { body, headers, status } = received
    const documented = classes.get(status)
    if (documented === undefined && status !== success.status) {
      const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
      const kept = keeper.kept(received)
      return Result.fail(new UndocumentedStatus({ status, ...kept, operation, ...wait }))
    }
    if (body.truncated) return invalid(received, keeper, `more than ${body.bytes.length} bytes`)
    const json = parse(body.bytes, documented === undefined ? strict : lenient)
    if (Result.isFailure(json)) return invalid(received, keeper, json.failure)
    if (documented !== undefined) {
      const errorBody = errorBodyIn(json.success, keeper.keepText)
      if (errorBody === undefined) return invalid(received, keeper, "error: Missing key")
      const id = keeper.requestIdIn(headers)
      return Result.fail(new documented({ ...errorBody, ...id, operation }))
    }
    const isRefusal =
      success.mustSucceed === true &&
      Predicate.hasProperty(json.success, "success") &&
      json.success.success === false
    if (isRefusal)
      return invalid(received, keeper, "success: the body says false", { success: false })
    const decoded = decode(json.success)
    return Result.isSuccess(decoded)
      ? Result.succeed(decoded.success)
      : invalid(received, keeper, joined(decoded.failure.path, decoded.failure.problem))
  }

  return {
    decodeResponse,
    isDocumented: (status: number): boolean => status === success.status || classes.has(status)
  }
}
