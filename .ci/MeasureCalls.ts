/** Counts the POSTs of a failed send, and measures the allocations of a call. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { withServer } from "../bench/child.ts"
import { makeClient } from "../bench/clients.ts"
import { bounded, stdoutOf } from "./support.ts"

const bare = "`undici.request` + `JSON.parse`"

const clients = ["core on `/node`", "core `/promise`"] as const

/** By the fault's name for the fault server, its name in budgets.json. */
const faults = { reset: "reset", "500": "500", "429": "429", silence: "no response" }

/** The maximum number of POSTs that a client of ours makes for one send. */
const postsAt = async (fault: string): Promise<number> => {
  const counts = [...clients, "core on `/fetch`"].map((name) =>
    withServer(new URL("../bench/faultServer.ts", import.meta.url), async (url) => {
      await fetch(url, { method: "PUT", body: fault })
      const client = await makeClient(name, url, 300)
      await client.send()
      return Number(await (await fetch(url, { method: "OPTIONS" })).text())
    })
  )
  return Math.max(...(await Promise.all(counts)))
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

const allocations = (): Promise<Readonly<Record<string, number>>> =>
  withServer(new URL("../bench/server.ts", import.meta.url), async (url) => {
    const [bareRead = 0, bareSend = 0] = allocatedBy(bare, url)
    const ratios = clients.flatMap((name) => {
      const [read = 0, send = 0] = allocatedBy(name, url)
      return [
        [`allocated, over bare undici: read, ${name}`, read / bareRead],
        [`allocated, over bare undici: send, ${name}`, send / bareSend]
      ]
    })
    return Object.fromEntries(ratios) as Record<string, number>
  })

export const measureCalls = async (): Promise<Readonly<Record<string, number>>> => {
  const counted = Object.entries(faults).map(
    async ([fault, name]) => [`POSTs of one send: ${name}`, await postsAt(fault)] as const
  )
  const posts = Object.fromEntries(await Promise.all(counted))
  if (existsSync(ownNode)) return { ...posts, ...(await allocations()) }
  console.log("allocations: skipped, the workspace brings no Node for this platform")
  return posts
}
