import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { exceptions } from "../harness/mcp/conformance/NotApplicable.ts"
import {
  type Outcome,
  requiredScenarios,
  revisions,
  runSuite
} from "../harness/mcp/conformance/Suite.ts"
import { folderOfFile } from "../harness/TemporaryFolder.ts"
import { openHttpProcess, type RawHttp } from "../harness/mcp/RawHttp.ts"

describe.each(revisions)("our server, in the suite of %s,", (revision) => {
  const excepted = exceptions[revision]

  const folder = folderOfFile()
  let http: RawHttp | undefined
  let outcomes: ReadonlyMap<string, Outcome> = new Map()

  beforeAll(async () => {
    // Pages of this machine are allowed, because one scenario is such a page.
    http = await openHttpProcess(["--sandbox"])
    outcomes = await runSuite(revision, http.url, folder)
  })

  afterAll(() => http?.[Symbol.asyncDispose]())

  it("passes every scenario except the listed ones", () => {
    const problems = [...outcomes].filter(
      ([scenario, { passed }]) => !passed && !Object.hasOwn(excepted, scenario)
    )
    expect(problems).toEqual([])
  })

  it("runs every scenario that the suite requires", async () => {
    const required = await requiredScenarios(revision)
    expect(required.length).toBeGreaterThan(20)
    expect(required.filter((scenario) => !outcomes.has(scenario))).toEqual([])
  })

  it("has no exception that passes or that is unknown", () => {
    const stale = Object.keys(excepted).filter(
      (scenario) => outcomes.get(scenario)?.passed !== false
    )
    expect(stale).toEqual([])
  })

  it("fails only the listed checks of a scenario with several checks", () => {
    for (const [scenario, { checks }] of Object.entries(excepted)) {
      if (checks === undefined) continue
      const failed = Object.keys(outcomes.get(scenario)?.problems ?? {})
      expect(failed.toSorted(), scenario).toEqual(checks.toSorted())
    }
  })
})
