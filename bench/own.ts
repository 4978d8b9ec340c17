/**
 * The cost of a package for its users: size, number of packages and import time.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { install, run } from "./installed.ts"
import { alternate, median, timed, timingOf } from "./measure.ts"
import { progress } from "./progress.ts"
import type { Row, Sections } from "./report/results.ts"
import { atMost, row } from "./report/rows.ts"
import { runNode } from "./start.ts"
import { comparedVersions, versionOf } from "./versions.ts"

const others = [
  "stripe",
  "telnyx",
  "twilio",
  "@vonage/server-sdk",
  "@aws-sdk/client-sns",
  "africastalking"
]

const bare = "(`node -e`)"

const root = fileURLToPath(new URL("../", import.meta.url))

/** Packs core as it is published. */
const packCore = (folder: string): string => {
  run(join(root, "node_modules/.bin/tsc"), ["-b", "packages/core"], root)
  run(process.execPath, ["packages/core/bundle/main.ts"], root)
  const pack = ["--filter", "@messaging-topup/core", "pack", "--pack-destination", folder]
  run("npx", ["-y", "pnpm@12", ...pack], root)
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? ""
  return `file:${join(folder, tarball)}`
}

interface Project {
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly imports: ReadonlyArray<string>
  readonly isOurs: boolean
}

const projectsOf = (tarball: string): ReadonlyArray<Project> => [
  {
    name: "core `/promise`",
    dependencies: { "@messaging-topup/core": tarball },
    imports: ["@messaging-topup/core/promise"],
    isOurs: true
  },
  {
    name: "core and `/node`, with effect",
    dependencies: { "@messaging-topup/core": tarball, effect: versionOf("effect") },
    imports: ["@messaging-topup/core", "@messaging-topup/core/node"],
    isOurs: true
  },
  ...others.map((name) => ({
    name,
    dependencies: { [name]: comparedVersions()[name] ?? "" },
    imports: [name],
    isOurs: false
  }))
]

const importIn = (name: string, imports: ReadonlyArray<string>, folder: string) => {
  const code = imports.map((module) => `await import(${JSON.stringify(module)})`).join(";")
  // Some packages leave timers or sockets open.
  const args = ["--input-type=module", "-e", `${code};process.exit()`]
  return { name, run: () => timed(() => runNode(args, folder)) }
}

/** The median, rounded to three digits. For an even number, the mean of the two in the middle. */
const medianLimit = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const middle = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1)
  return Number((middle.reduce((sum, value) => sum + value, 0) / middle.length).toPrecision(3))
}

const rowsIn = async (folder: string): Promise<ReadonlyArray<Row>> => {
  const tarballs = join(folder, "tarballs")
  mkdirSync(tarballs)
  const projects = projectsOf(packCore(tarballs)).map((project, index) => {
    const place = join(folder, String(index))
    progress(`own: npm install ${project.name}`)
    return { ...project, place, ...install(place, project.dependencies) }
  })
  progress("own: import")
  const timings = await alternate(
    [
      importIn(bare, [], folder),
      ...projects.map(({ imports, name, place }) => importIn(name, imports, place))
    ],
    { warmUpRounds: 1 }
  )
  const empty = timingOf(timings, bare).micros
  const measured = projects.map(({ bytes, isOurs, name, packages }) => {
    const { micros } = timingOf(timings, name)
    const over = micros.map((each, round) => (each - (empty[round] ?? Number.NaN)) / 1_000)
    const values = { installed: bytes / 1_000_000, packages, importTime: median(over) }
    return { isOurs, name, values }
  })
  const theirs = measured.filter(({ isOurs }) => !isOurs)
  const targets = (["installed", "packages", "importTime"] as const).map((of) =>
    atMost(of, medianLimit(theirs.map(({ values }) => values[of])))
  )
  return measured.map(({ isOurs, name, values }) =>
    row({ install: name }, values, ...(isOurs ? targets : []))
  )
}

export const own = async (): Promise<Sections> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-own-"))
  try {
    return {
      own: {
        units: { installed: "MB", packages: "packages", importTime: "ms" },
        rows: await rowsIn(folder)
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
