/**
 * Installs the packed tarballs with the lowest and with the newest versions that their peer ranges allow, and
 * that core's range of undici allows. npm must accept them, the types must match, the programs of the docs must
 * run with a sandbox, and undici must do what core relies on.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, globSync } from "node:fs"
import { basename, join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { install } from "../bench/packages.ts"
import { expected as undiciFacts } from "./undici.ts"
import {
  bounded,
  compile,
  packPackages,
  readManifest,
  stdoutOf,
  tarballs,
  temporaryFolder
} from "./support.ts"

const programs = ["send.ts", "script.ts", "send-once.ts", "campaign.ts", "toolkit.ts"]

/** The result: each program has sent its SMS to the sandbox. */
const expected = {
  segments: 1,
  texts: [
    ...Array(2).fill("Your code is 4711"),
    "Your order has arrived",
    "Open at 9",
    "Table ready"
  ]
}

/** These are only compiled, because they need a database, or do not send to that sandbox. */
const compiled = ["campaign-script.ts", "sandbox/promise.ts"]

const packages = packPackages()

const ranges = new Map<string, string>()
for (const file of globSync("packages/*/package.json", { cwd: bounded.cwd })) {
  const { dependencies = {}, peerDependencies = {} } = readManifest(join(bounded.cwd, file))
  const { undici } = dependencies
  const all = undici === undefined ? peerDependencies : { ...peerDependencies, undici }
  for (const [name, range] of Object.entries(all)) {
    if (name.startsWith("@messaging-topup/")) continue
    const other = ranges.get(name) ?? range
    if (other !== range) throw new Error(`${file} allows ${range} of ${name}, another one ${other}`)
    ranges.set(name, range)
  }
}

const lowestOf = (range: string): string => {
  // All our ranges start with their lowest version.
  const [, lowest] = /^(?:~|\^|>=)?(\d+\.\d+\.\d+)(?: |$)/.exec(range) ?? []
  if (lowest === undefined) throw new Error(`${range} does not start with its lowest version`)
  return lowest
}

const check = (label: string, versionOf: (range: string) => string): void => {
  const project = temporaryFolder()
  const peers = [...ranges].map(([name, range]) => [name, versionOf(range)] as const)
  const dependencies = { ...tarballs(packages), ...Object.fromEntries(peers) }
  install(project, dependencies, "--strict-peer-deps")
  const installed = [...ranges.keys()].map(
    (name) => `${name} ${readManifest(join(project, "node_modules", name, "package.json")).version}`
  )

  const examples = [...programs, ...compiled].map((file) => join("examples", file))
  for (const file of ["scripts/peers.ts", "scripts/undici.ts", ...examples]) {
    copyFileSync(join(bounded.cwd, file), join(project, basename(file)))
  }
  compile(project)

  const args = ["peers.ts", ...programs]
  const printed = stdoutOf(spawnSync(process.execPath, args, { ...bounded, cwd: project }))
  if (!isDeepStrictEqual(JSON.parse(printed), expected)) {
    throw new Error(`With the ${label} versions, the programs printed ${printed}`)
  }
  const seen = stdoutOf(spawnSync(process.execPath, ["undici.ts"], { ...bounded, cwd: project }))
  if (!isDeepStrictEqual(JSON.parse(seen), undiciFacts)) {
    throw new Error(`With the ${label} versions, undici did ${seen}`)
  }
  console.log(`${label}: ${installed.join(", ")}: the types match, the programs ran`)
}

check("lowest", lowestOf)
check("newest", (range) => range)
