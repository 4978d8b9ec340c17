import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"

const Step = Schema.Struct({
  uses: Schema.optionalKey(Schema.String),
  run: Schema.optionalKey(Schema.String)
})

const Job = Schema.Struct({
  name: Schema.String,
  needs: Schema.optionalKey(Schema.String),
  "timeout-minutes": Schema.Int,
  permissions: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  steps: Schema.Array(Step)
})

const Workflow = Schema.Struct({
  name: Schema.String,
  permissions: Schema.Struct({ contents: Schema.Literal("read") }),
  jobs: Schema.Record(Schema.String, Job)
})

const read = (file: string): unknown => parse(readFileSync(file, "utf8"))

const scripts = (JSON.parse(readFileSync("package.json", "utf8")) as { readonly scripts: object })
  .scripts

/** Built-in commands of pnpm. */
const commands = ["exec", "install", "publish"]

describe.each(globSync(".github/workflows/*.yml"))("%s", (file) => {
  const { jobs } = Schema.decodeUnknownSync(Workflow)(read(file))
  const steps = Object.values(jobs).flatMap((job) => job.steps)
  const runs = steps.flatMap(({ run = "" }) => run.split("\n"))

  it("pins every action to a major version", () => {
    const actions = steps.flatMap(({ uses = [] }) => uses)
    expect(actions).not.toEqual([])
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w/-]+@v\d+$/)
  })

  it("calls only scripts and files that exist", () => {
    const called = steps
      .flatMap((step) => [step.run ?? "", JSON.stringify(step)])
      .flatMap((text) => [...text.matchAll(/pnpm@12 (?:--recursive )?([\w:]+)/g)])
      .map(([, script = ""]) => script)
    for (const script of called) expect([...commands, ...Object.keys(scripts)]).toContain(script)
    for (const run of runs) {
      for (const [path] of run.matchAll(/(?<![\w-])(?:\.ci|scripts)\/[\w.-]+/g))
        expect(existsSync(path), path).toBe(true)
      const [, checks = ""] = /bash \.ci\/run (.*)/.exec(run) ?? []
      for (const name of checks.split(" ")) expect(readFileSync(".ci/run", "utf8")).toContain(name)
    }
  })

  it("has commands with valid bash syntax", () => {
    // The runner replaces these expressions.
    const input = runs.join("\n").replaceAll(/\$\{\{[^}]*\}\}/g, "filled")
    expect(spawnSync("bash", ["-n"], { input, encoding: "utf8" }).stderr, input).toBe("")
  })
})

it("the release publishes only after all checks, and each job has only the rights that it needs", () => {
  const { jobs } = Schema.decodeUnknownSync(Workflow)(read(".github/workflows/release.yml"))
  const rights = Object.entries(jobs).map(([name, { needs, permissions = {} }]) => {
    const writes = Object.keys(permissions).filter((right) => permissions[right] === "write")
    return [name, needs, writes]
  })
  expect(rights).toEqual([
    ["version", undefined, ["contents", "pull-requests"]],
    ["check", undefined, []],
    ["npm", "check", ["id-token"]],
    ["github", "npm", ["contents"]],
    ["images", "check", ["packages"]],
    ["registry", "npm", ["id-token"]]
  ])
})

it("the form for bugs names every package that is published", () => {
  const form = read(".github/ISSUE_TEMPLATE/bug.yml") as {
    readonly body: ReadonlyArray<{ readonly attributes: { readonly options?: unknown } }>
  }
  const options = form.body.flatMap(({ attributes }) => attributes.options ?? [])
  const packages = globSync("packages/*/package.json")
    .filter((file) => !readFileSync(file, "utf8").includes('"private": true'))
    .map((file) => file.split("/")[1])
  expect(new Set(options)).toEqual(new Set(packages))
})
