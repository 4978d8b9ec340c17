/** The settings of a server: all its options checked, alone and together. */
import { type JournalLocation, locate, mountVariable } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { type Environment, refuse, type UsageError } from "@messaging-topup/command"
import { badOption, type Given, groups, keysVariable, names, readVariable } from "../Options.ts"
import type { Rules } from "../send/Rules.ts"
import { type Sources, usualSources } from "../send/ServiceFailure.ts"

/** The service as core is told of it: in all variables, of which core reads and checks its own. */
export interface ServiceSettings {
  readonly variables: Readonly<Record<string, string>>
  readonly sources: Sources
}

/** What a host sends in place of a variable that it could not fill in, and the value in our examples. */
const placeholder = /^(?:\$\{|\{env:|your-access-token$)/

const readService = Effect.fnUntraced(function* (environment: Environment) {
  const variables: Record<string, string> = Record.filter(environment, Predicate.isNotUndefined)
  const sources = { ...usualSources }
  for (const what of ["address", "token"] as const) {
    const name = usualSources[what]
    const read = yield* readVariable(environment, name)
    if (read === undefined) continue
    const { source, text } = read
    sources[what] = source
    if (placeholder.test(text)) {
      return yield* refuse(
        `${source}: it is a placeholder. Give the value itself, or correct the variable that the host should fill in`
      )
    }
    variables[name] = text
  }
  const service: ServiceSettings = { variables, sources }
  return service
})

/** What the sandbox accepts is forgotten with it, and counts for nothing else. */
const readJournal = Effect.fnUntraced(function* (
  given: Given,
  environment: Environment
): Effect.fn.Return<JournalLocation, UsageError> {
  const journal = yield* given.value("journal")
  const isTrial = (yield* given.value("sandbox")) && journal === undefined
  // A server that cannot send needs no journal that lasts.
  const canSend = !(yield* given.value("read-only"))
  const variables = canSend ? environment : { ...environment, [mountVariable]: undefined }
  return yield* Effect.catch(
    Effect.fromResult(locate(isTrial ? "memory" : journal, variables)),
    refuse
  )
})

const readRules = Effect.fnUntraced(function* (
  given: Given,
  isSandbox: boolean
): Effect.fn.Return<Rules, UsageError> {
  const confirm = yield* given.value("confirm")
  const allowList = yield* given.value("allow-recipients")
  if (confirm === "off" && !isSandbox && allowList === undefined) {
    return yield* badOption(
      "confirm",
      "off asks nobody, so it needs --allow-recipients: name who may be written to, or * for everyone"
    )
  }
  return {
    canSend: !(yield* given.value("read-only")),
    confirm,
    cards: (yield* given.value("cards")) === "auto",
    allowList,
    isSandbox,
    maxSegments: yield* given.value("max-segments"),
    maxBatch: yield* given.value("max-batch"),
    webhookUrl: yield* given.value("webhook-url"),
    maxSendsPerHour: yield* given.value("max-sends-per-hour")
  }
})

const httpOnly = names.filter((name) => name !== "http" && Object.hasOwn(groups["Over HTTP"], name))

/** Without --http, the options of HTTP would silently have no effect. */
const readHttp = Effect.fnUntraced(function* (given: Given, environment: Environment) {
  if (yield* given.value("http")) {
    // Imported here, so that a server on stdio does not load it.
    const Http = yield* Effect.promise(() => import("./HttpSettings.ts"))
    return yield* Http.read(given, environment)
  }
  const stray = httpOnly.find((name) => given.isSet(name))
  if (stray !== undefined) return yield* badOption(stray, "it needs --http")
  const keys = yield* readVariable(environment, keysVariable)
  return keys && (yield* refuse(`${keys.source}: it needs --http`))
})

export const read = Effect.fnUntraced(function* (given: Given, environment: Environment) {
  const http = yield* readHttp(given, environment)
  const inbox = yield* given.value("inbox")
  const sandbox = yield* given.value("sandbox")
  if (inbox && !sandbox) {
    return yield* badOption(
      "inbox",
      "it shows what was sent to the mock server, so it needs --sandbox"
    )
  }
  return {
    http,
    inbox,
    /** Absent with `--sandbox`. */
    service: sandbox ? undefined : yield* readService(environment),
    rules: yield* readRules(given, sandbox),
    /** What signs approvals. Without it, each start makes a new one. */
    approvalKey: yield* given.value("approval-key-file"),
    journal: yield* readJournal(given, environment)
  }
})

export type Settings = Effect.Success<ReturnType<typeof read>>
