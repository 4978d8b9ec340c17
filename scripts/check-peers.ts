/**
 * Installs the packed tarballs with the lowest and with the newest versions that their peer ranges allow, and
 * that core's range of undici allows. npm must accept them, the types must match, the programs of the docs must
 * run with a sandbox, and every send must have the right outcome; once, if the versions are the same. Run
 * `pnpm pack:all` first.
 */
import assert from "node:assert/strict"
import { execFile, spawnSync } from "node:child_process"
import { copyFileSync, globSync } from "node:fs"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { checkSends } from "./sends.ts"
import { bounded, compile, installed, readManifest, stdoutOf, tarballs } from "./support.ts"

const programs = ["send.ts", "script.ts", "send-once.ts", "campaign.ts"]

/** The result: each program has sent its SMS to the sandbox. */
const expected = {
  segments: 1,
  vetoed: "not-sent",
  texts: [...Array(2).fill("Your code is 4711"), "Your order has arrived", "Open at 9"]
}

/** These are only compiled, because they need a database, or do not send to that sandbox. */
const compiled = ["campaign-script.ts", "sandbox/promise.ts"]

const ranges = new Map<string, ReadonlySet<string>>()
for (const file of globSync("packages/*/package.json", { cwd: bounded.cwd })) {
  const { dependencies = {}, peerDependencies = {} } = readManifest(join(bounded.cwd, file))
  const { undici } = dependencies
  const all = undici === undefined ? peerDependencies : { ...peerDependencies, undici }
  for (const [name, range] of Object.entries(all)) {
    if (name.startsWith("@messaging-topup/")) continue
    ranges.set(name, new Set([...(ranges.get(name) ?? []), range]))
  }
}

const lowestOf = (of: ReadonlySet<string>): string => {
  // All our ranges start with their lowest version.
  const lowest = [...of].map((range) => /^(?:~|\^|>=)?(\d+\.\d+\.\d+)(?: |$)/.exec(range)?.[1])
  const [version, ...others] = new Set(lowest)
  assert(version !== undefined && others.length === 0, `No lowest version of ${[...of].join()}`)
  return version
}

/** What all our packages allow. */
const newestOf = (of: ReadonlySet<string>): string => [...of].join(" ")

/** The versions that were tried. */
const tried = new Set<string>()

const check = async (label: string, versionOf: typeof newestOf): Promise<void> => {
  const peers = [...ranges].map(([name, range]) => [name, versionOf(range)] as const)
  const project = installed({ ...tarballs(), ...Object.fromEntries(peers) }, "--strict-peer-deps")
  const versions = [...ranges.keys()]
    .map(
      (name) =>
        `${name} ${readManifest(join(project, "node_modules", name, "package.json")).version}`
    )
    .join(", ")
  if (tried.has(versions)) {
    console.log(`${label}: ${versions}: the same`)
    return
  }
  tried.add(versions)

  const examples = [...programs, ...compiled].map((file) => join("examples", file))
  for (const file of ["scripts/peers.ts", "scripts/sends.js", ...examples]) {
    copyFileSync(join(bounded.cwd, file), join(project, basename(file)))
  }
  compile(project)

  // The programs use this user's journal, which would know their SMS from the last check.
  const env = { ...process.env, MESSAGING_TOPUP_JOURNAL: join(project, "journal.sqlite") }
  const inProject = { ...bounded, cwd: project, env }
  const printed = stdoutOf(spawnSync(process.execPath, ["peers.ts", ...programs], inProject))
  assert.deepEqual(JSON.parse(printed), expected, `With the ${label} versions: ${printed}`)
  await checkSends(label, { httpClient: "undici", refused: "not-sent" }, async (argument) => {
    const ran = await promisify(execFile)(process.execPath, ["sends.js", argument], inProject)
    return ran.stdout
  })
  console.log(`${label}: ${versions}: the types match, the programs ran`)
}

await check("lowest", lowestOf)
await check("newest", newestOf)
