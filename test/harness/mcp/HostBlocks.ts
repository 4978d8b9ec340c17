/**
 * The code blocks of a document, and how hosts read those that configure a server.
 */
import { readFileSync } from "node:fs"
import { isReadonlyObject } from "effect/Predicate"
import { parse as parseToml } from "smol-toml"

export const blocksOf = (document: string) =>
  readFileSync(document, "utf8")
    .split(/^## /m)
    .flatMap((section, index) => {
      const [title = ""] = section.split("\n", 1)
      return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(
        ([, language = "", text = ""]) => ({
          document,
          /** The title of its section; empty before the first section. */
          section: index === 0 ? "" : title,
          language,
          text
        })
      )
    })

const strings = (value: unknown): Readonly<Record<string, string>> =>
  isReadonlyObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, String(each)]))
    : {}

const list = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.map(String) : []

/** Hosts use different names for the URL. */
const urlOf = (entry: Readonly<Record<string, unknown>>): string | undefined => {
  const url = entry["url"] ?? entry["httpUrl"] ?? entry["serverUrl"]
  return typeof url === "string" ? url : undefined
}

/** In OpenCode, the command is a list with the arguments, and `env` has another name. */
const stdioEntry = (value: Readonly<Record<string, unknown>>) => {
  const [command = "", ...args] = [value["command"]].flat().map(String)
  return {
    command,
    args: [...args, ...list(value["args"])],
    env: strings(value["env"] ?? value["environment"]),
    /** The variables that the host passes on to the server. */
    passedOn: list(value["env_vars"])
  }
}

const httpEntry = (value: Readonly<Record<string, unknown>>, url: string) => {
  const variable = value["bearer_token_env_var"]
  return {
    url,
    headers:
      typeof variable === "string"
        ? { Authorization: `Bearer \${${variable}}` }
        : strings(value["headers"])
  }
}

export type StdioEntry = ReturnType<typeof stdioEntry>
type Entry = StdioEntry | ReturnType<typeof httpEntry>

/** Finds all entries: hosts use different names for the object that holds their servers. */
const entriesIn = (value: unknown): ReadonlyArray<Entry> => {
  if (!isReadonlyObject(value)) return []
  if ("command" in value) return [stdioEntry(value)]
  const url = urlOf(value)
  return url === undefined ? Object.values(value).flatMap(entriesIn) : [httpEntry(value, url)]
}

export const entriesOf = ({ language, text }: ReturnType<typeof blocksOf>[number]) => {
  switch (language) {
    case "json":
      return entriesIn(JSON.parse(text))
    case "toml":
      return entriesIn(parseToml(text))
    default:
      return []
  }
}

export const isStdio = (entry: Entry): entry is StdioEntry => "command" in entry

/** Matches `${input:x}`, `${env:X}`, `${X}` and OpenCode's `{env:X}`. */
const reference = /\$?\{(?:(?:input|env):)?(\w+)\}/g

/** Fills in the references of each value. */
export const filledIn = (
  values: Readonly<Record<string, string | undefined>>,
  references: Readonly<Record<string, string>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value = ""]) => [
      name,
      value.replace(reference, (whole, key: string) => {
        const filled = references[key]
        if (filled === undefined) throw new Error(`${whole} has no value`)
        return filled
      })
    ])
  )
