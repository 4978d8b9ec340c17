/**
 * The cost of a package for its users: size, number of packages and import time.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import {
  bounded,
  packPackages,
  stdoutOf,
  tarballs,
  temporaryFolder,
  versionHere
} from "../scripts/support.ts"
import { alternate, difference, timed, timingOf } from "./measure.ts"
import { comparedVersions, install } from "./packages.ts"
import { atMost, type Row, row, type Sections } from "./results.ts"

const others = [
  "stripe",
  "telnyx",
  "twilio",
  "@vonage/server-sdk",
  "@aws-sdk/client-sns",
  "africastalking"
]

const bare = "(`node -e`)"

interface Project {
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly imports: ReadonlyArray<string>
}

const projectsOf = (core: Readonly<Record<string, string>>): ReadonlyArray<Project> => [
  { name: "core `/promise`", dependencies: core, imports: ["@messaging-topup/core/promise"] },
  {
    name: "core and `/node`, with effect",
    dependencies: { ...core, effect: versionHere("effect") },
    imports: ["@messaging-topup/core", "@messaging-topup/core/node"]
  },
  ...others.map((name) => ({
    name,
    dependencies: { [name]: comparedVersions()[name] ?? "" },
    imports: [name]
  }))
]

const importIn = (name: string, imports: ReadonlyArray<string>, cwd: string) => {
  const code = imports.map((module) => `await import(${JSON.stringify(module)})`).join(";")
  // Some packages leave timers or sockets open.
  const args = ["--input-type=module", "-e", `${code};process.exit()`]
  const run = () => stdoutOf(spawnSync(process.execPath, args, { ...bounded, cwd }))
  return { name, run: () => timed(() => Promise.resolve(run())) }
}

/** The median, rounded to three digits. For an even number, the mean of the two in the middle. */
const medianLimit = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const middle = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1)
  return Number((middle.reduce((sum, value) => sum + value, 0) / middle.length).toPrecision(3))
}

const rows = async (): Promise<ReadonlyArray<Row>> => {
  stdoutOf(spawnSync(join(bounded.cwd, "node_modules/.bin/tsc"), ["-b", "packages/core"], bounded))
  stdoutOf(spawnSync(process.execPath, ["packages/core/bundle/main.ts"], bounded))
  const core = packPackages().filter(({ name }) => name === "@messaging-topup/core")
  const folder = temporaryFolder()
  const projects = projectsOf(tarballs(core)).map((project, index) => {
    const place = join(folder, String(index))
    return { ...project, place, ...install(place, project.dependencies) }
  })
  const timings = await alternate(
    [
      importIn(bare, [], folder),
      ...projects.map(({ imports, name, place }) => importIn(name, imports, place))
    ],
    { warmUpRounds: 1 }
  )
  const empty = timingOf(timings, bare)
  const measured = projects.map(({ bytes, name, packages }) => {
    const importTime = difference(timingOf(timings, name), empty) / 1_000
    return { name, values: { installed: bytes / 1_000_000, packages, importTime } }
  })
  const theirs = measured.filter(({ name }) => others.includes(name))
  const targets = (["installed", "packages", "importTime"] as const).map((of) =>
    atMost(of, medianLimit(theirs.map(({ values }) => values[of])))
  )
  return measured.map(({ name, values }) =>
    row({ install: name }, values, ...(others.includes(name) ? [] : targets))
  )
}

export const own = async (): Promise<Sections> => ({
  own: { units: { installed: "MB", packages: "packages", importTime: "ms" }, rows: await rows() }
})
