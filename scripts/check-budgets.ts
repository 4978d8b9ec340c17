/**
 * Measures the values in budgets.json, and fails if one has grown by more than 3 %, or a count at all. None of
 * them depends on the speed of the machine. Run `pnpm build` first.
 */
import { spawnSync } from "node:child_process"
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { withServer } from "../bench/child.ts"
import { makeClient } from "../bench/clients.ts"
import { bytesIn, install } from "../bench/packages.ts"
import { open, toolsOf } from "../bench/mcpServers.ts"
import { size } from "../bench/size.ts"
import {
  bounded,
  packPackages,
  stdoutOf,
  tarballs,
  temporaryFolder,
  versionHere
} from "./support.ts"

type Values = Readonly<Record<string, number>>

const bundleSizes = async (): Promise<Values> => {
  const { rows = [] } = (await size()).size ?? {}
  const gzipOf = (start: string, of: string): number =>
    rows.find(({ labels }) => labels["import"]?.startsWith(start))?.values[of] ?? Number.NaN
  const core = gzipOf("`@messaging-topup/core`: service", "addedGzip")
  const promise = gzipOf("`@messaging-topup/core/promise`", "aloneGzip")
  return {
    "bundle: core added to an Effect app, kB gzip": core,
    "bundle: promise client alone, kB gzip": promise
  }
}

const serverSizes = async (): Promise<Values> => {
  const dist = join(bounded.cwd, "packages/mcp-server/dist")
  const bytesOf = (pattern: string): number =>
    globSync(join(dist, pattern)).reduce((sum, file) => sum + statSync(file).size, 0)
  const server = open(join(dist, "main.cjs"))
  const list = await server.request("tools/list", {})
  await server.stop()
  return {
    "MCP server: all its code, bytes": bytesOf("*.cjs"),
    "MCP server: what each start loads, bytes": bytesOf("{main,runtime,server}.cjs"),
    "MCP server: tools/list, bytes": Buffer.byteLength(JSON.stringify(toolsOf(list)))
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

const clients = ["core on `/node`", "core `/promise`"] as const

/** By the fault's name for the fault server, its name in budgets.json. */
const faults = { reset: "reset", "500": "500", "429": "429", silence: "no response" }

/** The maximum number of POSTs that a client of ours makes for one send. */
const postsAt = async ([fault, name]: [string, string]): Promise<readonly [string, number]> => {
  const counts = [...clients, "core on `/fetch`"].map((client) =>
    withServer(new URL("../bench/faultServer.ts", import.meta.url), async (url) => {
      await fetch(url, { method: "PUT", body: fault })
      await (await makeClient(client, url, 300)).send()
      return Number(await (await fetch(url, { method: "OPTIONS" })).text())
    })
  )
  return [`POSTs of one send: ${name}`, Math.max(...(await Promise.all(counts)))]
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
  withServer(new URL("../bench/server.ts", import.meta.url), (url) => {
    const [bareRead = 0, bareSend = 0] = allocatedBy("`undici.request` + `JSON.parse`", url)
    const ratios = clients.flatMap((name): Array<[string, number]> => {
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
  ...(await bundleSizes()),
  ...(await serverSizes()),
  ...installs(),
  ...Object.fromEntries(await Promise.all(Object.entries(faults).map(postsAt))),
  ...(hasNode ? await allocations() : {})
}

const file = join(import.meta.dirname, "budgets.json")
const budgets = JSON.parse(readFileSync(file, "utf8")) as Values

const names = [...new Set([...Object.keys(budgets), ...Object.keys(measured)])]
const rows = names
  .filter((name) => hasNode || !name.startsWith("allocated"))
  .map((name) => {
    const set = budgets[name] ?? Number.NaN
    const isCount = /^(packages|POSTs)/.test(name)
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
