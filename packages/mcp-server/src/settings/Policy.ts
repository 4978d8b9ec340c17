/**
 * The policy: a file that restricts, for individual callers, what the options allow to everyone.
 *
 * Its fields have the names of the options, and the same meaning.
 */
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { parseAllowRule } from "../send/Recipient.ts"
import type { Confirm, Identity, Policy, Rules, Setting } from "../send/Rules.ts"
import type { SendLimit } from "../send/PlannedSend.ts"
import { isSending, toolNames } from "../tools/Tools.ts"
import { type Count, type Environment, UsageError } from "@messaging-topup/sandbox/command-line"
import { bothNames, confirmations, type Given, maximums, type Name, options } from "../Options.ts"
import * as OptionValues from "./OptionValues.ts"

const count = ({ help, maximum, minimum }: Count) =>
  Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({ description: help })
  )

const Entry = Schema.Struct({
  tools: Schema.optionalKey(
    Schema.Array(Schema.Literals(toolNames)).annotate({ description: options.tools.help })
  ),
  "allow-recipients": Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: options["allow-recipients"].help })
  ),
  ...Record.map(maximums, count),
  "max-sends-per-hour": count(options["max-sends-per-hour"]),
  "max-segments-per-day": count(options["max-segments-per-day"]),
  confirm: Schema.optionalKey(
    Schema.Literals(confirmations).annotate({ description: options.confirm.help })
  ),
  "token-env": Schema.optionalKey(
    Schema.String.annotate({
      description: "Variable that holds the access token of the service for this caller"
    })
  ),
  "token-file": Schema.optionalKey(
    Schema.String.annotate({
      description: "File that holds the access token of the service for this caller"
    })
  )
})

type Entry = typeof Entry.Type

/** The policy file. `*` applies to callers that no other entry names. */
export const PolicyFile = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  callers: Schema.Record(Schema.String, Entry).annotate({
    description:
      "By caller: local, anonymous, key:<name>, oauth:<issuer>|<subject>, client:<OAuth client>, or * for all others"
  })
})

const decode = Schema.decodeUnknownResult(PolicyFile, { onExcessProperty: "error", errors: "all" })

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const refuse = (problem: string) =>
  Effect.fail(new UsageError({ problem: `${bothNames("policy")}: ${problem}` }))

const callerName = /^(?:\*|local|anonymous|key:[\w.-]{1,64}|oauth:\S+\|\S+|client:\S+)$/

const parse = Effect.fnUntraced(function* (path: string) {
  const text = yield* OptionValues.fileText(bothNames("policy"), path)
  const json = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(json)) return yield* refuse("the file is not JSON")
  const decoded = decode(json.success)
  if (Result.isFailure(decoded)) {
    const [issue] = format(decoded.failure.issue).issues
    const place = (issue?.path ?? []).map(String).join(".")
    return yield* refuse(`${place}: ${issue?.message ?? "does not fit policy.schema.json"}`)
  }
  return decoded.success.callers
})

const strictness: ReadonlyArray<Confirm> = ["off", "auto", "require"]

const stricter = (one: Setting<Confirm>, other: Confirm = "off"): Setting<Confirm> =>
  strictness.indexOf(one.value) < strictness.indexOf(other)
    ? { value: other, option: "policy" }
    : one

const lower = (one: Setting<number>, other: number = one.value): Setting<number> =>
  other < one.value ? { value: other, option: "policy" } : one

const limitsOf = (scope: string, entry: Entry): ReadonlyArray<SendLimit> => {
  const of = (counts: SendLimit["counts"], limit: number | undefined) =>
    limit === undefined ? [] : [{ scope, counts, limit, option: "policy" } as const]
  return [
    ...of("messages", entry["max-sends-per-hour"]),
    ...of("segments", entry["max-segments-per-day"])
  ]
}

const shareOption = "max-caller-share" satisfies Name

/** Gives a caller its share of the limits that all callers have together. */
const withShare = (rules: Rules, scope: string, percent: number): Rules => ({
  ...rules,
  limits: [
    ...rules.limits,
    ...rules.limits.map((each): SendLimit => ({
      ...each,
      scope,
      limit: Math.max(1, Math.floor((each.limit * percent) / 100)),
      option: shareOption
    }))
  ]
})

/** Applies one entry. It can only restrict the rules, but its limits take the place of the caller's share. */
const narrowed = (rules: Rules, name: string, entry: Entry): Rules => {
  const ownLimits = limitsOf(name, entry)
  const others = rules.limits.filter(
    ({ counts, option }) =>
      option !== shareOption || ownLimits.every((each) => each.counts !== counts)
  )
  const { tools: named } = entry
  const tools = rules.tools.filter((tool) => named === undefined || named.includes(tool))
  const listed = entry["allow-recipients"]?.flatMap((rule) => parseAllowRule(rule) ?? [])
  const canSend = tools.some(isSending)
  return {
    ...rules,
    tools,
    sendingOff: rules.sendingOff ?? (canSend ? undefined : "--policy"),
    allowLists:
      listed === undefined
        ? rules.allowLists
        : { value: [...rules.allowLists.value, listed], option: "policy" },
    maximums: Record.map(rules.maximums, (own, option) => lower(own, entry[option])),
    confirm: stricter(rules.confirm, entry.confirm),
    limits: [...others, ...ownLimits]
  }
}

const tokenOfEntry = Effect.fnUntraced(function* (
  name: string,
  entry: Entry,
  environment: Environment
) {
  const variable = entry["token-env"]
  const path = entry["token-file"]
  if (variable !== undefined && path !== undefined) {
    return yield* refuse(`callers.${name}: both are set; leave out token-env or token-file`)
  }
  if (variable === undefined && path === undefined) return undefined
  const source = `callers.${name}.${path === undefined ? "token-env" : "token-file"}`
  const text =
    path === undefined ? environment[variable ?? ""] : yield* OptionValues.fileText(source, path)
  const token = (text ?? "").trim()
  if (token === "")
    return yield* refuse(`${source}: the variable or file that it names has no token`)
  return /^[\u0021-\u007e]+$/.test(token)
    ? Redacted.make(token)
    : yield* refuse(`${source}: the token has characters that a header cannot carry`)
})

const check = Effect.fnUntraced(function* (
  name: string,
  entry: Entry,
  knownKeys: ReadonlyArray<string>
) {
  if (!callerName.test(name)) {
    return yield* refuse(
      "callers are local, anonymous, key:<name>, oauth:<issuer>|<subject>, client:<id> and *"
    )
  }
  if (name.startsWith("key:") && !knownKeys.includes(name.slice(4))) {
    return yield* refuse(`callers.${name}: there is no bearer key of this name`)
  }
  const rules = entry["allow-recipients"] ?? []
  if (rules.some((rule) => parseAllowRule(rule) === undefined)) {
    return yield* refuse(
      `callers.${name}.allow-recipients: give numbers, such as +254700000001, or prefixes that end in *`
    )
  }
  return undefined
})

/** The share of each caller; undefined if there is one caller, or callers have no names. */
const readShare = Effect.fnUntraced(function* (given: Given, callers: Callers) {
  if (callers.keys.length > 1 || callers.hasOAuth) return yield* given.value(shareOption)
  return given.isSet(shareOption)
    ? yield* new UsageError({
        problem: `${bothNames(shareOption)}: it needs several callers, with bearer keys or OAuth`
      })
    : undefined
})

/** The callers that the server knows by name. */
interface Callers {
  /** The names of the bearer keys. */
  readonly keys: ReadonlyArray<string>
  readonly hasOAuth: boolean
}

/** Without a file, the options apply to all callers. */
export const read = Effect.fnUntraced(function* (
  given: Given,
  environment: Environment,
  rules: Rules,
  named: Callers
): Effect.fn.Return<Policy, UsageError> {
  const share = yield* readShare(given, named)
  const path = yield* given.value("policy")
  const callers = path === undefined ? {} : yield* parse(path)
  const tokens = new Map<string, Redacted.Redacted>()
  for (const [name, entry] of Object.entries(callers)) {
    yield* check(name, entry, named.keys)
    const token = yield* tokenOfEntry(name, entry, environment)
    if (token !== undefined) tokens.set(name, token)
  }
  const namesOf = ({ clientId, principal }: Identity): ReadonlyArray<string> => {
    const names = [principal, ...(clientId === undefined ? [] : [`client:${clientId}`])]
    const known = names.filter((name) => Object.hasOwn(callers, name))
    if (known.length > 0) return known
    return Object.hasOwn(callers, "*") ? ["*"] : []
  }
  return {
    rulesOf: (identity) =>
      namesOf(identity).reduce(
        (narrow, name) => {
          const entry = callers[name]
          // Each caller under `*` has a limit of its own.
          const scope = name === "*" ? identity.principal : name
          return entry === undefined ? narrow : narrowed(narrow, scope, entry)
        },
        share === undefined ? rules : withShare(rules, identity.principal, share)
      ),
    tokenOf: (identity) =>
      namesOf(identity)
        .map((name) => tokens.get(name))
        .find((token) => token !== undefined),
    tokens: [...tokens.values()]
  }
})
