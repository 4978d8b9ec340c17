/**
 * Installs the packed tarballs with the lowest and with the newest versions that their peer ranges allow. npm
 * must accept them, the types must match, and the programs of the docs must run with a sandbox.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { bounded, packPackages, stdoutOf, temporaryFolder, versionHere } from "./support.ts"

interface Manifest {
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** These programs are run. */
const programs = [
  "examples/readme.ts",
  "examples/script.ts",
  "examples/send-once.ts",
  "examples/campaign.ts"
]

/** The result: each program has sent one SMS to the sandbox. */
const expected = {
  segments: 1,
  number: "+254712345678",
  accepted: ["Your code is 4711", "Your code is 4711", "Your order has arrived", "Open at 9"]
}

/** These are only compiled, because they need a database, or do not send to that sandbox. */
const compiled = [
  "examples/engines/services.ts",
  "examples/campaign-script.ts",
  "examples/sandbox/promise.ts"
]

const rangesOf = (manifests: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const ranges = new Map<string, string>()
  for (const file of manifests) {
    const { peerDependencies = {} } = JSON.parse(readFileSync(file, "utf8")) as Manifest
    for (const [name, range] of Object.entries(peerDependencies)) {
      if (name.startsWith("@messaging-topup/")) continue
      const other = ranges.get(name) ?? range
      if (other !== range)
        throw new Error(`${file} allows ${range} of ${name}, another package ${other}`)
      ranges.set(name, range)
    }
  }
  return ranges
}

const lowestOf = (range: string): string => {
  // All our ranges start with their lowest version.
  const [, lowest] = /^(?:~|\^|>=)?(\d+\.\d+\.\d+)(?: |$)/.exec(range) ?? []
  if (lowest === undefined) throw new Error(`${range} does not start with its lowest version`)
  return lowest
}

const check = (label: string, versionOf: (range: string) => string): void => {
  const project = temporaryFolder()
  const inProject = { ...bounded, cwd: project }
  const write = (name: string, content: unknown): void =>
    writeFileSync(join(project, name), JSON.stringify(content))

  write("package.json", {
    private: true,
    type: "module",
    dependencies: Object.fromEntries([
      ...packages.map(({ name, filename }) => [name, `file:${filename}`]),
      ...[...ranges].map(([name, range]) => [name, versionOf(range)]),
      ["@types/node", versionHere("@types/node")]
    ])
  })
  stdoutOf(
    spawnSync("npm", ["install", "--no-audit", "--no-fund", "--strict-peer-deps"], inProject)
  )
  const installed = [...ranges.keys()].map((name) => {
    const file = join(project, "node_modules", name, "package.json")
    return `${name} ${(JSON.parse(readFileSync(file, "utf8")) as { version: string }).version}`
  })

  for (const file of [".ci/peers.ts", ...programs, ...compiled]) {
    copyFileSync(join(bounded.cwd, file), join(project, basename(file)))
  }
  write("tsconfig.json", {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: "es2024",
      module: "nodenext",
      lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
      types: ["node"]
    }
  })
  stdoutOf(spawnSync("tsc", ["--project", project], bounded))

  const names = programs.map((program) => basename(program))
  const printed = stdoutOf(spawnSync(process.execPath, ["peers.ts", ...names], inProject))
  if (!isDeepStrictEqual(JSON.parse(printed), expected)) {
    throw new Error(`With the ${label} versions, the programs printed ${printed}`)
  }
  console.log(`${label}: ${installed.join(", ")}: the types match, ${names.length} programs ran`)
}

const packages = packPackages(temporaryFolder()).filter(
  ({ name }) => name !== "@messaging-topup/mcp-server"
)
const ranges = rangesOf(globSync("packages/*/package.json", { cwd: bounded.cwd }))

check("lowest", lowestOf)
check("newest", (range) => range)
