/**
 * The configuration that `docs/hosts.md` shows for a host, with the addresses and the token of this run.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { blocksOf, entriesOf, isStdio } from "../../test/mcp-server/support/HostBlocks.ts"

const document = "docs/hosts.md"

const blockIn = (title: string): string => {
  const block = blocksOf(document).find(({ section }) => section === title)
  if (block === undefined) throw new Error(`${document} has no block in ${title}`)
  return block.text
}

/** The arguments that the document names for a host without a person. */
export const withoutPerson = entriesOf({ language: "json", text: blockIn("Without a person") })
  .filter(isStdio)
  .flatMap(({ args }) => args.slice(2))

/** Returns the cells of the host in the table of all hosts: its file, key, token and so on. */
const rowOf = (host: string): ReadonlyArray<string> => {
  const row = readFileSync(document, "utf8")
    .split("\n")
    .find((line) => line.startsWith(`| [${host}](`))
  if (row === undefined) throw new Error(`${document} has no row for ${host}`)
  return row.split("|").map((cell) => cell.trim())
}

const firstCode = (cell = ""): string => /`([^`]+)`/.exec(cell)?.[1] ?? ""

interface Place {
  readonly home: string
  readonly project: string
  readonly baseUrl: string
  readonly token: string
  /** Arguments for the server. */
  readonly args: ReadonlyArray<string>
}

/** `section` is the one that has the block of this host. */
export const documentedConfig = (host: string, section: string, place: Place) => {
  const [, , files, , token] = rowOf(host)
  const name = firstCode(files)
  const reference = firstCode(token)
  const server = ["@messaging-topup/mcp-server", ...place.args]
  const text = blockIn(section)
    .replace("https://api.example.com", place.baseUrl)
    .replace("your-access-token", reference.startsWith("$") ? reference : place.token)
    .replace('"@messaging-topup/mcp-server"', server.map((each) => `"${each}"`).join(", "))
  return {
    file: name.startsWith("~/") ? join(place.home, name.slice(2)) : join(place.project, name),
    text
  }
}
