/**
 * Which tools exist, and what guards a send.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AllowList from "../guards/AllowList.ts"
import type { Mode } from "../guards/Confirmation.ts"
import { sendingTool, toolNames } from "../tools/Tools.ts"
import type { Raw } from "./Raw.ts"
import { badOption } from "./SettingsError.ts"
import * as Values from "./Values.ts"

const readTools = Effect.fnUntraced(function* (raw: Raw) {
  const text = raw.text("tools")
  const wanted = text === undefined ? toolNames : Values.list(text)
  const known = wanted.every((name) => toolNames.includes(name))
  if (wanted.length === 0 || !known) {
    return yield* badOption("tools", `give names out of ${toolNames.join(", ")}`)
  }
  return raw.on("read-only") ? wanted.filter((name) => name !== sendingTool) : wanted
})

const readAllowList = Effect.fnUntraced(function* (raw: Raw) {
  const text = raw.text("allow-recipients")
  if (text === undefined) {
    return raw.on("require-allow-list")
      ? yield* badOption(
          "require-allow-list",
          "there is no list; give one with --allow-recipients (MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS)"
        )
      : Option.none()
  }
  const rules = Values.list(text).map(AllowList.parseRule)
  const parsed = rules.filter((rule) => rule !== undefined)
  if (parsed.length === 0 || parsed.length !== rules.length) {
    return yield* badOption(
      "allow-recipients",
      "give numbers separated by commas, such as +254700000001, or prefixes that end in *, such as +2547*"
    )
  }
  return Option.some(parsed)
})

const modes: ReadonlyArray<Mode> = ["auto", "require", "off"]

const readMode = (raw: Raw) => {
  const text = raw.text("confirm") ?? "auto"
  const mode = modes.find((known) => known === text)
  return mode === undefined
    ? Effect.fail(badOption("confirm", "give auto, require or off"))
    : Effect.succeed(mode)
}

const tenMinutes = Duration.minutes(10)

export const read = Effect.fnUntraced(function* (raw: Raw) {
  const count = Values.count(raw)
  const duration = Values.duration(raw)
  return {
    tools: yield* readTools(raw),
    allowRecipients: yield* readAllowList(raw),
    maxSegments: yield* count("max-segments", 10, 1, 255),
    sendsPerHour: yield* count("max-sends-per-hour", 100, 1, 1_000_000),
    duplicateWindow: yield* duration("duplicate-window", tenMinutes, Duration.zero),
    confirm: yield* readMode(raw),
    confirmWithin: yield* duration("confirm-within", tenMinutes, Duration.seconds(1)),
    approvalKeyFile: Option.fromUndefinedOr(raw.text("approval-key-file"))
  }
})
