/**
 * Which tools are offered, and what guards a send.
 */
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { randomBytes } from "node:crypto"
import type { Key } from "../send/Digest.ts"
import { parseAllowRule } from "../send/Recipient.ts"
import { everyone } from "../send/PlannedSend.ts"
import type { Rules, SendingOff } from "../send/Rules.ts"
import * as Scopes from "../tools/Scopes.ts"
import { isSending, toolNames } from "../tools/Tools.ts"
import type { UsageError } from "@messaging-topup/sandbox/command-line"
import { badOption, bothNames, type Given, maximums } from "../Options.ts"
import * as OptionValues from "./OptionValues.ts"

const readTools = Effect.fnUntraced(function* (given: Given) {
  const text = yield* given.value("tools")
  const wanted = text === undefined ? toolNames : OptionValues.list(text)
  const known = wanted.every((name) => toolNames.includes(name))
  if (wanted.length === 0 || !known) {
    return yield* badOption("tools", `give names out of ${toolNames.join(", ")}`)
  }
  return (yield* given.value("read-only")) ? wanted.filter((name) => !isSending(name)) : wanted
})

/** A tool that does not send only reads. */
const scopesOf = (tools: ReadonlyArray<string>): ReadonlyArray<string> =>
  Scopes.all.filter((scope) =>
    tools.some((name) => isSending(name) === (scope === Scopes.messagesSend))
  )

const readAllowList = Effect.fnUntraced(function* (given: Given) {
  const text = yield* given.value("allow-recipients")
  if (text === undefined) {
    return (yield* given.value("require-allow-list"))
      ? yield* badOption(
          "require-allow-list",
          `there is no list; give one with ${bothNames("allow-recipients")}`
        )
      : undefined
  }
  const rules = OptionValues.list(text).map(parseAllowRule)
  const parsed = rules.filter((rule) => rule !== undefined)
  if (parsed.length === 0 || parsed.length !== rules.length) {
    return yield* badOption(
      "allow-recipients",
      "give numbers separated by commas, such as +254700000001, or prefixes that end in *, such as +2547*"
    )
  }
  return parsed
})

const readSenderIds = Effect.fnUntraced(function* (given: Given) {
  const text = yield* given.value("allow-sender-ids")
  if (text === undefined) return undefined
  const ids = OptionValues.list(text)
  return ids.length > 0
    ? ids
    : yield* badOption("allow-sender-ids", "give sender IDs separated by commas")
})

const sendingOff = (isReadOnly: boolean, tools: ReadonlyArray<string>): SendingOff | undefined => {
  if (tools.some(isSending)) return undefined
  return isReadOnly ? "--read-only" : "--tools"
}

const keyBytes = 32

/**
 * Reads the key that signs approvals. Without a file, each start makes a new one, so approvals do
 * not survive a restart and replicas do not accept each other's.
 */
const readApprovalKey = Effect.fnUntraced(function* (
  given: Given
): Effect.fn.Return<() => Key, UsageError> {
  const path = yield* given.value("approval-key-file")
  // Made when it is first used: crypto takes milliseconds to load.
  if (path === undefined) return () => randomBytes(keyBytes)
  const key = yield* OptionValues.fileBytes(bothNames("approval-key-file"), path)
  return key.length >= keyBytes
    ? () => key
    : yield* badOption(
        "approval-key-file",
        `the file holds fewer than ${keyBytes} bytes; make one with: openssl rand -out approval.key ${keyBytes}`
      )
})

export const read = Effect.fnUntraced(function* (given: Given) {
  const tools = yield* readTools(given)
  const messages = yield* given.value("max-sends-per-hour")
  const segments = yield* given.value("max-segments-per-day")
  const allowList = yield* readAllowList(given)
  const rules: Rules = {
    tools,
    sendingOff: sendingOff(yield* given.value("read-only"), tools),
    allowLists: {
      value: allowList === undefined ? [] : [allowList],
      option: "allow-recipients"
    },
    senderIds: yield* readSenderIds(given),
    webhookHosts: (yield* OptionValues.hostnames(given, "allow-webhook-hosts")) ?? [],
    maximums: yield* Effect.all(
      Record.map(maximums, (_, option) =>
        Effect.map(given.value(option), (value) => ({ value, option }))
      )
    ),
    confirm: { value: yield* given.value("confirm"), option: "confirm" },
    limits: [
      {
        scope: everyone,
        counts: "messages",
        limit: messages,
        option: "max-sends-per-hour"
      },
      { scope: everyone, counts: "segments", limit: segments, option: "max-segments-per-day" }
    ]
  }
  return {
    rules,
    scopes: scopesOf(tools),
    duplicateWindow: yield* given.value("duplicate-window"),
    hideRecentTexts: yield* given.value("hide-recent-texts"),
    unknownHold: yield* given.value("unknown-hold"),
    confirmTimeout: yield* given.value("confirm-timeout"),
    key: yield* readApprovalKey(given)
  }
})
