/**
 * Measures the values in budgets.json, and fails if one has grown by more than 3 %, or a count at all. None of
 * them depends on the speed of the machine. Run `pnpm pack:all` first.
 */
import { globSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { bundled, bytesIn, installed, tarball, tarballs, versionHere } from "./support.ts"

type Values = Readonly<Record<string, number>>

const packages = tarballs()
const project = installed({ ...packages, effect: versionHere("effect") })
const own = (path: string): string => join(project, "node_modules", path)

/** In kilobytes. */
const gzipped = async (...bundle: Parameters<typeof bundled>): Promise<number> =>
  gzipSync(await bundled(...bundle), { level: 9 }).length / 1000

const core =
  'export { MessagingTopup } from "@messaging-topup/core"; export * from "@messaging-topup/core/fetch"'
const promise = 'export { createClient } from "@messaging-topup/core/promise"'

const server = "@messaging-topup/mcp-server"
const command = "messaging-topup"

const bytesOf = (program: string, pattern: string): number =>
  globSync(own(`${program}/dist/${pattern}`)).reduce((sum, file) => sum + statSync(file).size, 0)

const unpacked = Object.keys(packages).map((name): [string, number] => [
  `unpacked: ${name.replace("@messaging-topup/", "")}, bytes`,
  bytesIn(own(name))
])

const countWith = (dependencies: Readonly<Record<string, string>>): number => {
  const lock = join(installed(dependencies, "--package-lock-only"), "package-lock.json")
  const { packages: all } = JSON.parse(readFileSync(lock, "utf8")) as { packages: object }
  // One of them is the project.
  return Object.keys(all).length - 1
}

const measured: Values = {
  "bundle: core without effect, kB gzip": await gzipped(core, project, { external: ["effect"] }),
  "bundle: promise client alone, kB gzip": await gzipped(promise, project),
  "MCP server: all its code, bytes": bytesOf(server, "*.cjs"),
  "MCP server: what each start loads, bytes": bytesOf(server, "{main,runtime,server}.cjs"),
  "command: all its code, bytes": bytesOf(command, "*.cjs"),
  "command: what --help loads, bytes": bytesOf(command, "{main,runtime,commands}.cjs"),
  ...Object.fromEntries(unpacked),
  "packages with core": countWith(tarball("@messaging-topup/core")),
  "packages with core and effect": countWith({
    ...tarball("@messaging-topup/core"),
    effect: versionHere("effect")
  }),
  "packages with mcp-server": countWith(tarball(server)),
  "packages with messaging-topup": countWith(tarball(command))
}

const file = join(import.meta.dirname, "budgets.json")
const budgets = JSON.parse(readFileSync(file, "utf8")) as Values

const names = [...new Set([...Object.keys(budgets), ...Object.keys(measured)])]
const rows = names.map((name) => {
  const set = budgets[name] ?? Number.NaN
  const limit = name.startsWith("packages") ? set : Number((set * 1.03).toPrecision(7))
  return { name, "when set": set, now: measured[name] ?? Number.NaN, limit }
})
console.table(rows)

// Also fails if one is in only one of the two lists.
const over = rows.filter(({ limit, now }) => !(now <= limit))
for (const { limit, name, now } of over) {
  console.error(`${name}: ${now} is over the limit of ${limit}`)
}
process.exit(over.length > 0 ? 1 : 0)
