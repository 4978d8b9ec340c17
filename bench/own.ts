/**
 * The cost of a package for its users: size, number of packages and import time.
 */
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { bounded, stdoutOf, tarball, temporaryFolder, versionHere } from "../scripts/support.ts"
import { alternate, processorDifference, timed, timingOf } from "./measure.ts"
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
const app = "(an app that uses Effect)"
const cached = (name: string): string => `${name}, cached`

interface Project {
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly imports: ReadonlyArray<string>
}

const withEffect = "core and `/node`, with effect"

/** The modules of an app that already uses Effect. */
const effectApp = [
  "effect/Context",
  "effect/Effect",
  "effect/Layer",
  "effect/Schedule",
  "effect/Schema",
  "effect/http/FetchHttpClient",
  "effect/http/HttpClient"
]

const projectsOf = (core: Readonly<Record<string, string>>): ReadonlyArray<Project> => [
  { name: "core `/promise`", dependencies: core, imports: ["@messaging-topup/core/promise"] },
  {
    name: withEffect,
    dependencies: { ...core, effect: versionHere("effect") },
    imports: ["@messaging-topup/core", "@messaging-topup/core/node"]
  },
  ...others.map((name) => ({
    name,
    dependencies: { [name]: comparedVersions()[name] ?? "" },
    imports: [name]
  }))
]

const decodeUsage = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ system: Schema.Finite, user: Schema.Finite }))
)

/** `cache` is the folder of Node's compile cache, which the first round fills. */
const importIn = (name: string, imports: ReadonlyArray<string>, cwd: string, cache?: string) => {
  const env = { ...process.env, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) }
  const code = imports.map((module) => `await import(${JSON.stringify(module)})`).join(";")
  // Some packages leave timers or sockets open.
  const end = "process.stdout.write(JSON.stringify(process.cpuUsage()));process.exit()"
  const args = ["--input-type=module", "-e", `${code};${end}`]
  return {
    name,
    run: async () => {
      let output = ""
      const { wall } = await timed(() => {
        output = stdoutOf(spawnSync(process.execPath, args, { ...bounded, cwd, env }))
        return Promise.resolve()
      })
      const { system, user } = decodeUsage(output)
      return { wall, processor: system + user }
    }
  }
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
  const core = tarball("@messaging-topup/core")
  const folder = temporaryFolder()
  const projects = projectsOf(core).map((project, index) => {
    const place = join(folder, String(index))
    return { ...project, place, ...install(place, project.dependencies) }
  })
  const apps = projects.flatMap(({ name, place }) =>
    name === withEffect ? [{ name: app, imports: effectApp, place }] : []
  )
  const timings = await alternate(
    [...projects, ...apps, { name: bare, imports: [], place: folder }].flatMap(
      ({ imports, name, place }) => [
        importIn(name, imports, place),
        importIn(cached(name), imports, place, join(folder, "cache"))
      ]
    ),
    { warmUpRounds: 1 }
  )
  const timesOver = (name: string, reference: string) => ({
    importTime: processorDifference(timingOf(timings, name), timingOf(timings, reference)) / 1_000,
    cachedTime:
      processorDifference(timingOf(timings, cached(name)), timingOf(timings, cached(reference))) /
      1_000
  })
  const measured = projects.map(({ bytes, name, packages }) => ({
    name,
    values: { installed: bytes / 1_000_000, packages, ...timesOver(name, bare) }
  }))
  const theirs = measured.filter(({ name }) => others.includes(name))
  const targets = (["installed", "packages", "importTime"] as const).map((of) =>
    atMost(of, medianLimit(theirs.map(({ values }) => values[of])))
  )
  return [
    ...measured.map(({ name, values }) =>
      row({ install: name }, values, ...(others.includes(name) ? [] : targets))
    ),
    row({ install: app }, timesOver(app, bare)),
    row({ install: "core and `/node`, added to that app" }, timesOver(withEffect, app))
  ]
}

export const own = async (): Promise<Sections> => ({
  own: {
    units: { installed: "MB", packages: "packages", importTime: "ms", cachedTime: "ms" },
    rows: await rows()
  }
})
