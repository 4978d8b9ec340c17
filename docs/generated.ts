/**
 * The generated blocks of the documents. `quote.ts` writes them, and a test compares them.
 */
import { maySend, refusalCodes } from "@messaging-topup/mcp-server/src/send/Refusal.ts"
import { sendFields } from "@messaging-topup/mcp-server/src/Log.ts"
import { groups, variableOf } from "@messaging-topup/mcp-server/src/Options.ts"
import type { Option } from "@messaging-topup/command"
import { faults, runtimes } from "./runtimes.ts"

const flagOf = (name: string, option: Option<unknown>): string =>
  option.kind === "switch" ? `--${name}` : `--${name} <${option.value}>`

const named = ([name, option]: readonly [string, Option<unknown>]): string => {
  const { shownDefault } = option
  return `\`${flagOf(name, option)}\`${shownDefault === "" ? "" : ` (${shownDefault})`}`
}

const table = (head: string, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [
    head,
    `|${" --- |".repeat(head.split("|").length - 2)}`,
    ...rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`),
    ""
  ].join("\n")

/** The page describes the options that guard a send, before a server is installed; `--help` describes all. */
const optionTables = (): string => {
  const { "What may be sent": guards, ...others } = groups
  return [
    table(
      "| Option | What it does | Default |",
      Object.entries(guards).map(([name, option]: readonly [string, Option<unknown>]) => [
        `\`${flagOf(name, option)}\``,
        option.help,
        option.shownDefault
      ])
    ),
    "`--help` describes the others:\n",
    table(
      "| Options | With their defaults |",
      Object.entries(others).map(([title, entries]) => [
        title,
        Object.entries(entries).map(named).join(", ")
      ])
    )
  ].join("\n")
}

type Code = (typeof refusalCodes)[number]

/** Why a call sent nothing. */
const causes: Readonly<Record<string, ReadonlyArray<Code>>> = {
  "an argument, or a row": ["invalid_arguments", "recipient_unclear", "rows_refused"],
  "a limit of the operator": [
    "recipient_not_allowed",
    "too_many_segments",
    "too_many_rows",
    "limit_reached"
  ],
  "an earlier send": ["unknown_not_resent", "closed_by_person", "in_flight_elsewhere"],
  "no approval": [
    "confirmation_declined",
    "confirmation_cancelled",
    "confirmation_unasked",
    "confirmation_unavailable",
    "confirmation_on_card",
    "approval_invalid",
    "approval_used"
  ],
  "this server": ["journal_unavailable", "not_started", "stopping"],
  "the service": ["send_failed", "resend_failed", "read_failed"]
}

const codesOf = (codes: ReadonlyArray<Code>): string =>
  codes.map((code) => `\`${code}\``).join(", ")

/** `outcome` says what is known of the SMS after each of them. */
const refusals = (): string => {
  const explained = new Set(Object.values(causes).flat())
  const others = refusalCodes.filter((code) => !maySend.has(code) && !explained.has(code))
  return table("| Why | Codes |", [
    ["**this call may have sent it**", codesOf(refusalCodes.filter((code) => maySend.has(code)))],
    ...Object.entries(causes).map(([cause, codes]) => [cause, codesOf(codes)]),
    ...(others.length === 0 ? [] : [["another reason", codesOf(others)]])
  ])
}

/** What a line of the log says of a send. */
const logFields = (): string =>
  table(
    "| Field | What it says |",
    Object.entries(sendFields).map(([name, says]) => [`\`${name}\``, says])
  )

/** Runtimes that do the same have one row, and faults after which all do the same one column. */
const runtimeTable = (): string => {
  const alike = Map.groupBy(
    Object.entries(runtimes),
    ([, { httpClient, refused }]) => `${httpClient} ${refused}`
  )
  const rows = [...alike.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [{ names: group.map(([name]) => name), ...first[1] }]
  })
  const ends = Map.groupBy(
    Object.values(faults),
    ({ outcome, posts: count }) => `${count}, \`${outcome}\``
  )
  const titles = [...ends.values()].map((same) => same.map(({ title }) => title).join("; "))
  return table(
    `| \`/promise\` on | HTTP client | ${titles.join(" | ")} | refused connection |`,
    rows.map(({ httpClient, names, refused }) => [
      names.join(", "),
      httpClient,
      ...ends.keys(),
      `0, \`${refused}\``
    ])
  )
}

/** The blocks by the name in `<!-- made: name -->`. A block ends at `<!-- end -->`. */
const blocks: Readonly<Record<string, () => string>> = {
  options: optionTables,
  log: logFields,
  refusals,
  runtimes: runtimeTable
}

/** Makes the blocks again. */
export const fill = (document: string): string =>
  document.replace(/<!-- made: (\w+) -->\n[\s\S]*?<!-- end -->/g, (whole, name: string) =>
    blocks[name] === undefined ? whole : `<!-- made: ${name} -->\n${blocks[name]()}<!-- end -->`
  )

interface Variable {
  readonly name: string
  readonly description?: string
  readonly format?: string
  readonly isRequired?: boolean
  readonly choices?: ReadonlyArray<string>
}

interface RegistryEntry {
  readonly packages: ReadonlyArray<{ environmentVariables: ReadonlyArray<Variable> }>
}

const formats: Readonly<Partial<Record<Option<unknown>["kind"], string>>> = {
  switch: "boolean",
  count: "number"
}

const guardVariable = ([name, option]: readonly [string, Option<unknown>]): Variable => {
  return {
    name: variableOf(name),
    description: option.help,
    format: option.value === "path" ? "filepath" : (formats[option.kind] ?? "string"),
    ...(option.choices === undefined ? {} : { choices: option.choices })
  }
}

/** Returns server.json with the current variables of the guard options. */
export const describeVariables = (serverJson: string): string => {
  const entry: RegistryEntry = JSON.parse(serverJson)
  const guards = Object.entries(groups["What may be sent"]).map(guardVariable)
  for (const each of entry.packages) {
    const service = each.environmentVariables.filter(({ isRequired }) => isRequired === true)
    each.environmentVariables = [...service, ...guards]
  }
  return `${JSON.stringify(entry, null, 2)}\n`
}
