/** The forms in which clients show a question, and what the reply to each says. Decision 7 names their hosts. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { linesLeftOut, notUnderstood } from "../send/Approval.ts"

/**
 * These show the first lines of a question: Claude Code 2.1.332 three, and no key shows the rest; Codex 0.171 what
 * fits into its window, without a sign of the rest.
 */
const cutting: ReadonlySet<unknown> = new Set(["claude-code", "codex-mcp-client"])

/** And these were seen to show a form without fields, and to accept it. With an optional field, Codex 0.169 does not. */
const showingEmpty: ReadonlySet<unknown> = new Set([...cutting, "copilot-cli"])

const maxLines = 3

/** Wide characters take two columns, and so do quotes, which Claude Code escapes in a list. */
const narrow = String.raw`[^"\\\u1100-\u{10ffff}]`

const sign = String.raw`[.,:/'\u2019\s\p{Pd}]`

/** Not within a number: its rest would be another amount. */
const end = String.raw`(?!(?<=\p{N}${sign}?|[+\p{Sc}])\p{N}|(?<=\p{N})${sign}\p{N})`

/** A line of a question in a terminal of 40 columns, and an entry of the list in one of 60. It ends after a word, if it can. */
const lineOf = new RegExp(
  [
    `${narrow}{0,35} ${end}`,
    `${narrow}{1,36}$`,
    `.{0,17} ${end}`,
    `.{1,18}${end}`,
    `${narrow}{1,36}${end}`,
    ".{1,18}"
  ].join("|"),
  "gsu"
)

const linesOf = (message: string): Array<string> =>
  message.match(lineOf)?.map((line, at) => `${at + 1} ${line}`) ?? []

/** Accepting or declining it is the reply. */
const empty = { type: "object", properties: {} } as const

/**
 * For a client that cuts questions. Claude Code scrolls it; every entry is chosen and must stay so, or it cannot be
 * accepted: without `required`, a key removes all of them. Codex shows no list, and returns none, but says that there is
 * more, and opens the whole question.
 */
const listOf = (lines: Array<string>, name: unknown) =>
  ({
    type: "object",
    properties: {
      whole: {
        type: "array",
        title: "The whole question",
        description: "Open it to read all that is sent",
        items: { type: "string", enum: lines },
        minItems: lines.length,
        default: lines
      }
    },
    ...(name === "claude-code" ? { required: ["whole"] } : {})
  }) as const

const [send, doNotSend]: readonly [string, string] = ["Send", "Do not send"]

/** Some hosts cannot accept an empty form. Without a default: a host that skips a form may submit its defaults. */
const choice = {
  type: "object" as const,
  properties: {
    decision: { type: "string" as const, title: "Your decision", enum: [send, doNotSend] }
  },
  required: ["decision"]
}

/** What an acceptance must have: a choice, or so many entries if it has a list. */
export type Shown = "choice" | number

export interface Form {
  readonly shown: Shown
  readonly params: {
    readonly message: string
    readonly requestedSchema: typeof empty | typeof choice | ReturnType<typeof listOf>
  }
}

/** The form of a question for a client, by what the client says of itself. */
export const make = (client: unknown, message: string): Form => {
  const name = Predicate.hasProperty(client, "name") ? client.name : undefined
  if (!showingEmpty.has(name)) {
    return { shown: "choice", params: { message, requestedSchema: choice } }
  }
  const lines = cutting.has(name) ? linesOf(message) : []
  return lines.length > maxLines
    ? { shown: lines.length, params: { message, requestedSchema: listOf(lines, name) } }
    : { shown: 0, params: { message, requestedSchema: empty } }
}

const isReply = Schema.is(
  Schema.Struct({ action: Schema.String, content: Schema.optionalKey(Schema.Unknown) })
)

/** The fields of a form. PHP writes an empty map as an empty list. */
const fieldsOf = (content: unknown): Readonly<Record<string, unknown>> | undefined => {
  if (Predicate.isObject(content)) return { ...content }
  const isEmpty = Array.isArray(content) ? content.length === 0 : content === null
  return content === undefined || isEmpty ? {} : undefined
}

/** Whether a list has all lines, each of which begins with its number. */
const isWhole = (list: unknown, lines: number): boolean => {
  const numbers = (Array.isArray(list) ? list : []).map((line) =>
    Predicate.isString(line) ? Number(/^\d+(?= )/.exec(line)?.[0]) : 0
  )
  const known = new Set(numbers)
  return Array.from({ length: lines }, (_, at) => at + 1).every((number) => known.has(number))
}

/** The action of a person. Undefined if it is no reply to a form. Every action but "accept" is a refusal. */
export const actionOf = (shown: Shown, reply: unknown): string | undefined => {
  if (!isReply(reply)) return undefined
  const { action, content } = reply
  if (action !== "accept") return action
  const fields = fieldsOf(content)
  if (fields === undefined) return notUnderstood
  const { decision, whole } = fields
  if (shown !== "choice") {
    return whole === undefined || isWhole(whole, shown) ? action : linesLeftOut
  }
  if (decision === send) return action
  return decision === doNotSend ? "decline" : notUnderstood
}
