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

/** To report thousands of problems takes seconds, in which the server does nothing else, and ten are said. */
const [maxUnknown, maxEntries] = [50, 1_000]

/** How many names the entries of a list have that their schema does not have. */
const unknownIn = (list: ReadonlyArray<unknown>, items: unknown): number => {
  const properties = Predicate.hasProperty(items, "properties") ? items.properties : undefined
  if (!isJson(properties)) return 0
  return list
    .filter(isJson)
    .reduce(
      (count, entry) =>
        count + Object.keys(entry).filter((name) => !Object.hasOwn(properties, name)).length,
      0
    )
}

/**
 * Reads what hosts make of arguments, and leaves out what stands for an absent one: with OpenAI's strict schemas, a
 * model must give a value to every argument, and gives null, an empty text or an empty list to those that it leaves
 * out. `isLong`: one of them is a list of which not every problem is reported.
 */
const given = (args: object, properties: unknown) => {
  const read: Array<[name: string, value: unknown]> = []
  let unknown = 0
  let isLong = false
  for (const [name, written] of Object.entries(args)) {
    const isKnown = isJson(properties) && Object.hasOwn(properties, name)
    const property = isKnown ? properties[name] : undefined
    const { items, type }: Json = isJson(property) ? property : {}
    const value = unwrapped(written, type)
    if (name === argumentOfHosts || isAbsent(value)) continue
    read.push([name, value])
    if (!isKnown) unknown += 1
    if (Array.isArray(value)) {
      unknown += unknownIn(value, items)
      isLong ||= value.length > maxEntries
    }
    if (unknown > maxUnknown) {
      return Result.fail(`there are more than ${maxUnknown} unknown arguments`)
    }
  }
  return Result.succeed({ args: Object.fromEntries(read), isLong })
}

/**
 * Converts the arguments of a tool. The SDK gets a schema that accepts everything, because its own
 * error would not say whether anything was sent, or that this is the sandbox. `decode` checks the
 * arguments, and fails with all problems in one text.
 */
export const ofArguments = <T>(schema: Schema.Codec<T, unknown>) => {
  const decodeAll = Schema.decodeUnknownResult(schema, { onExcessProperty, errors: "all" })
  const decodeLong = Schema.decodeUnknownResult(schema, { onExcessProperty })
  let made: Json | undefined
  const json = () => (made ??= convert(schema))
  return {
    schema: describing(json),
    decode: (value: unknown): Result.Result<T, string> => {
      const read = Predicate.isObject(value)
        ? given(value, json()["properties"])
        : Result.succeed({ args: value, isLong: false })
      if (Result.isFailure(read)) return Result.fail(read.failure)
      const { args, isLong } = read.success
      return Result.mapError((isLong ? decodeLong : decodeAll)(args), ({ issue }) => {
        const { issues } = format(issue)
        return firstOf(issues.map(({ message, path }) => `${place(path)}: ${message}`))
      })
    }
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
