/**
 * Measures the values in budgets.json, and fails if one has grown by more than 3 %, or a count at all. None of
 * them depends on the speed of the machine. Run `pnpm build` first.
 */
import { spawnSync } from "node:child_process"
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { bundleSizes } from "./bundleSize.ts"
import { withServer } from "./child.ts"
import { bare, ours } from "./clients.ts"
import { bytesIn, install } from "./install.ts"
import {
  bounded,
  packPackages,
  stdoutOf,
  tarballs,
  temporaryFolder,
  versionHere
} from "./support.ts"

type Values = Readonly<Record<string, number>>

const bundles = async (): Promise<Values> => {
  const { coreAdded, promiseClient } = await bundleSizes()
  return {
    "bundle: core added to an Effect app, kB gzip": coreAdded,
    "bundle: promise client alone, kB gzip": promiseClient
  }
}

const serverSizes = (): Values => {
  const dist = join(bounded.cwd, "packages/mcp-server/dist")
  const bytesOf = (pattern: string): number =>
    globSync(join(dist, pattern)).reduce((sum, file) => sum + statSync(file).size, 0)
  return {
    "MCP server: all its code, bytes": bytesOf("*.cjs"),
    "MCP server: what each start loads, bytes": bytesOf("{main,runtime,server}.cjs")
  }
}

/** How large our packages are, and how many packages a user installs. */
const installs = (): Values => {
  const packages = packPackages()
  const unpacked = packages.map(({ filename, name }): [string, number] => {
    const folder = temporaryFolder()
    stdoutOf(spawnSync("tar", ["-xzf", filename, "-C", folder], bounded))
    return [`unpacked: ${name.replace("@messaging-topup/", "")}, bytes`, bytesIn(folder)]
  })
  const countWith = (name: string, others: Readonly<Record<string, string>> = {}): number => {
    const own = packages.filter((each) => each.name === `@messaging-topup/${name}`)
    return install(temporaryFolder(), { ...tarballs(own), ...others }).packages
  }
  return {
    ...Object.fromEntries(unpacked),
    "packages with core": countWith("core"),
    "packages with core and effect": countWith("core", { effect: versionHere("effect") }),
    "packages with mcp-server": countWith("mcp-server")
  }
}

/**
 * The workspace's own Node. Allocations differ by up to a tenth between major versions of Node, and by less
 * than a hundredth between runs.
 */
const ownNode = join(bounded.cwd, `node_modules/node-linux-${process.arch}/bin/node`)

const allocatedBy = (name: string, url: string): ReadonlyArray<number> => {
  const flags = ["--expose-gc", "--min-semi-space-size=256", "--max-semi-space-size=256"]
  const args = [...flags, join(import.meta.dirname, "allocations.ts"), name, url]
  return stdoutOf(spawnSync(ownNode, args, bounded))
    .trim()
    .split("\n")
    .map(Number)
}

const allocations = (): Promise<Values> =>
  withServer(new URL("server.ts", import.meta.url), (url) => {
    const [bareRead = 0, bareSend = 0] = allocatedBy(bare.undici, url)
    const ratios = [ours.node, ours.promise].flatMap((name): Array<[string, number]> => {
      const [read = 0, send = 0] = allocatedBy(name, url)
      return [
        [`allocated, over bare undici: read, ${name}`, read / bareRead],
        [`allocated, over bare undici: send, ${name}`, send / bareSend]
      ]
    })
    return Promise.resolve(Object.fromEntries(ratios))
  })

const hasNode = existsSync(ownNode)
if (!hasNode) console.log("allocations: skipped, the workspace brings no Node for this platform")

const measured: Values = {
  ...(await bundles()),
  ...serverSizes(),
  ...installs(),
  ...(hasNode ? await allocations() : {})
}

const file = join(import.meta.dirname, "budgets.json")
const budgets = JSON.parse(readFileSync(file, "utf8")) as Values

const names = [...new Set([...Object.keys(budgets), ...Object.keys(measured)])]
const rows = names
  .filter((name) => hasNode || !name.startsWith("allocated"))
  .map((name) => {
    const set = budgets[name] ?? Number.NaN
    const isCount = name.startsWith("packages")
    const limit = isCount ? set : set * 1.03
    const now = Number((measured[name] ?? Number.NaN).toPrecision(7))
    return { name, "when set": set, now, limit: Number(limit.toPrecision(7)) }
  })
console.table(rows)

// Also fails if one is in only one of the two lists.
const over = rows.filter(({ limit, now }) => !(now <= limit))
for (const { limit, name, now } of over) {
  console.error(`${name}: ${now} is over the limit of ${limit}`)
}
process.exit(over.length > 0 ? 1 : 0)
