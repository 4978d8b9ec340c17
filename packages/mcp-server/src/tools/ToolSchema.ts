/**
 * Converts Effect schemas to the form that the SDK takes.
 *
 * Effect has a conversion too, but it converts a schema again for every `tools/list` and allows unknown
 * fields.
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { firstOf } from "../Sentences.ts"
import { visible } from "../Visible.ts"

type Json = { readonly [name: string]: unknown }

const isJson: (value: unknown) => value is Json = Predicate.isReadonlyObject

const convert = (schema: Schema.Constraint): Json => ({
  ...Schema.toJsonSchemaDocument(schema, {
    onExcessProperty: "error",
    referencePolicy: () => undefined
  }).schema
})

/** Describes values, and accepts everything. */
const describing = (json: () => Json): StandardSchemaWithJSON => ({
  "~standard": {
    version: 1,
    vendor: "messaging-topup",
    validate: (value) => ({ value }),
    jsonSchema: { input: json, output: json }
  }
})

const onExcessProperty = "error"

/** Says what is wrong without the value that caused it. */
const leafHook: SchemaIssue.LeafHook = (issue) => {
  if (issue._tag === "UnexpectedKey") return "there is no such argument"
  if (issue._tag === "MissingKey") return "it is missing (an empty text counts as missing)"
  const problem = SchemaIssue.defaultLeafHook(issue)
  return problem.replace(
    /^Expected array.*/,
    'give a list: ["+1…"], or of rows [{"recipient": "+1…", "message": "…"}]'
  )
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook })

const shownPath = /^\w{1,64}$/

/** The name of an unknown argument could contain anything, so only a plain one is shown. */
const place = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> = []): string => {
  const keys = path.map((segment) => String(typeof segment === "object" ? segment.key : segment))
  return keys.every((key) => shownPath.test(key)) ? keys.join(".") : "(an unknown argument)"
}

/** Gemini CLI adds this argument to every tool for its own use, and passes it on. */
const argumentOfHosts = "wait_for_previous"

const isAbsent = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0)

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: Predicate.isBoolean,
  integer: Number.isInteger
}

/** Some hosts send a list, a number or a boolean as JSON in a text. A text stays what it is. */
const unwrapped = (value: unknown, type: unknown): unknown => {
  const isWanted = Predicate.isString(type) ? isOfType[type] : undefined
  if (!Predicate.isString(value) || isWanted === undefined) return value
  const read = Result.getOrUndefined(Result.try((): unknown => JSON.parse(value)))
  return isWanted(read) ? read : value
}

/**
 * Reads what hosts make of arguments, and removes what stands for an absent one: with OpenAI's strict schemas, a model
 * must give a value to every argument, and gives null, an empty text or an empty list to those that it leaves out.
 */
const given = (value: unknown, typeOf: (name: string) => unknown): unknown =>
  Predicate.isObject(value)
    ? Record.filter(
        Record.map(value, (each, name) => unwrapped(each, typeOf(name))),
        (each, name) => name !== argumentOfHosts && !isAbsent(each)
      )
    : value

/** To report thousands of problems takes seconds, in which the server does nothing else, and ten are said. */
const [maxUnknown, maxEntries] = [50, 1_000]

const isLong = (value: unknown): boolean => Array.isArray(value) && value.length > maxEntries

/** Whether a value has more names that its schema does not have than may be reported. */
const hasManyUnknown = (value: unknown, schema: Json): boolean => {
  let left = maxUnknown
  const isOver = (each: unknown, { items, properties }: Json): boolean => {
    if (Array.isArray(each)) return isJson(items) && each.some((entry) => isOver(entry, items))
    if (!Predicate.isReadonlyObject(each) || !isJson(properties)) return false
    return Object.keys(each).some((name) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      return isJson(known) ? isOver(each[name], known) : --left < 0
    })
  }
  return isOver(value, schema)
}

/**
 * Converts the arguments of a tool. The SDK gets a schema that accepts everything, because its own
 * error would not say whether anything was sent, or that this is the sandbox. `decode` checks the
 * arguments, and fails with all problems in one text.
 */
export const ofArguments = <T>(schema: Schema.Codec<T, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty, errors: "all" })
  const decodeLong = Schema.decodeUnknownResult(schema, { onExcessProperty })
  let made: Json | undefined
  const json = () => (made ??= convert(schema))
  const typeOf = (name: string): unknown => {
    const { properties } = json()
    const property = Predicate.hasProperty(properties, name) ? properties[name] : undefined
    return Predicate.hasProperty(property, "type") ? property.type : undefined
  }
  const counted = (value: unknown): Result.Result<unknown, string> =>
    hasManyUnknown(value, json())
      ? Result.fail(`there are more than ${maxUnknown} unknown arguments`)
      : Result.succeed(value)
  const decoded = (args: unknown): Result.Result<T, string> => {
    const isAnyLong = Predicate.isObject(args) && Object.values(args).some(isLong)
    return Result.mapError((isAnyLong ? decodeLong : decode)(args), ({ issue }) => {
      const { issues } = format(issue)
      return firstOf(issues.map(({ message, path }) => `${place(path)}: ${message}`))
    })
  }
  return {
    schema: describing(json),
    decode: (value: unknown): Result.Result<T, string> =>
      counted(value).pipe(
        Result.map((counts) => given(counts, typeOf)),
        // Of a list that was JSON in a text, nothing was counted yet.
        Result.flatMap(counted),
        Result.flatMap(decoded)
      )
  }
}

/** The fields of a result, each with its type or its possible texts. */
export type Fields = Readonly<
  Record<string, "string" | "integer" | "boolean" | "array" | ReadonlyArray<string>>
>

/** What every result can contain, as far as a program needs it. A refusal is a result too. */
const common: Fields = { message: "string", code: "string" }

/**
 * Describes the result of a tool, and accepts everything: the SDK checks it after the handler ran, and an error
 * about an SMS that was sent would invite a second send. Only what every result has is required, also a refusal,
 * so that clients that check results accept them. What the records of a list contain is not worth its length in
 * every conversation.
 */
export const ofResult = (fields: Fields, required: ReadonlyArray<string>): StandardSchemaWithJSON =>
  describing(() => ({
    type: "object",
    properties: Record.map({ ...common, ...fields }, (type) =>
      Predicate.isString(type) ? { type } : { type: "string", enum: type }
    ),
    required
  }))

/** An empty argument counts as absent, so this is for required texts, and for entries of a list. */
export const nonEmpty = (text: Schema.String): Schema.String => text.check(Schema.isMinLength(1))

/** The arguments of the tools that read a purchase. */
export const ReferenceCode = Schema.Struct({
  referencecode: nonEmpty(Schema.String.annotate({ description: "Reference code" }))
})

/**
 * Most checks are filters, which keeps them out of `tools/list`: that list is part of every conversation, so its
 * size matters.
 */
const maxLength = 500

/** Accepts one line that is not empty, and has so many characters as people see it. */
export const oneLine = (text: Schema.String, longest = maxLength): Schema.String =>
  text.check(
    Schema.makeFilter((value: string) =>
      value === "" || visible(value).length > longest || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)
        ? `Expected one line of 1 to ${longest} characters, without control characters`
        : undefined
    )
  )

export const defaultLimit = 20

/** The most records to return. */
export const maxRecords = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
    description: `Default ${defaultLimit}`
  })
)
