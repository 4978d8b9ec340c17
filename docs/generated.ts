/**
 * The parts of the documents that programs make: `.ci/quote.ts` writes them, and a test compares.
 */
import { refusalCodes } from "@messaging-topup/mcp-server/src/Refusal.ts"
import {
  defaultOf,
  groups,
  names,
  type Option,
  options,
  variableOf
} from "@messaging-topup/mcp-server/src/settings/Options.ts"
import { spawnSync } from "node:child_process"
import { execPath } from "node:process"

const row = ([name, option]: readonly [string, Option]): string => {
  const flag =
    option.kind === "switch" ? `--${name}` : `--${name} <${option.value.replaceAll("|", "\\|")}>`
  return `| \`${flag}\`<br>\`${variableOf(name)}\` | ${option.help} | ${defaultOf(option)} |`
}

const optionTables = (): string =>
  Object.entries(groups)
    .flatMap(([title, entries]) => [
      `**${title}**\n`,
      "| Option and variable | What it does | Default |",
      "| --- | --- | --- |",
      ...Object.entries(entries).map(row),
      ""
    ])
    .join("\n")

const refusals = (): string =>
  [
    "| `code` | Went out? | When |",
    "| --- | --- | --- |",
    ...Object.entries(refusalCodes).map(
      ([code, { wentOut, when }]) => `| \`${code}\` | ${wentOut} | ${when} |`
    ),
    ""
  ].join("\n")

/** The same in every run: without the ids and times that differ. */
const stable = (text: string): string =>
  text
    .replace(/sbx-(\d+)-[a-z]{8}/g, "sbx-$1-abcdefgh")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-01-15T09:30:00.000Z")

const transcript = (): string => {
  const { status, stdout } = spawnSync(execPath, ["examples/assistant.ts"], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" }
  })
  if (status !== 0) throw new Error(`examples/assistant.ts ended with ${status}`)
  return `\`\`\`text\n${stable(stdout).trim()}\n\`\`\`\n`
}

/** By the name in `<!-- made: name -->`; the block ends at `<!-- end -->`. */
export const blocks: Readonly<Record<string, () => string>> = {
  options: optionTables,
  refusals,
  transcript
}

export const fill = (document: string): string =>
  document.replace(/<!-- made: (\w+) -->\n[\s\S]*?<!-- end -->/g, (whole, name: string) =>
    blocks[name] === undefined ? whole : `<!-- made: ${name} -->\n${blocks[name]()}<!-- end -->`
  )

interface RegistryEntry {
  readonly packages: ReadonlyArray<{
    readonly environmentVariables: ReadonlyArray<{ readonly name: string; description: string }>
  }>
}

/** The same server.json, with the variables of options described in the words of the help. */
export const describeVariables = (serverJson: string): string => {
  const entry: RegistryEntry = JSON.parse(serverJson)
  const help = new Map(names.map((name) => [variableOf(name), options[name].help]))
  for (const variable of entry.packages.flatMap((each) => each.environmentVariables)) {
    variable.description = help.get(variable.name) ?? variable.description
  }
  return `${JSON.stringify(entry, null, 2)}\n`
}
