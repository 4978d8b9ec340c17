/**
 * The official conformance suite, run as a child process against a server.
 */
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { runNode } from "../../Process.ts"

/** The revisions that the suite has requirements of. */
export const revisions = ["2026-07-28", "2025-11-25"] as const

interface Check {
  readonly id: string
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO"
  readonly errorMessage?: string
}

export interface Outcome {
  readonly passed: boolean
  /** The checks that failed or warned, each with its message. */
  readonly problems: Readonly<Record<string, string>>
}

const outcomeOf = (checks: ReadonlyArray<Check>): Outcome => {
  const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")
  return {
    passed: bad.length === 0 && checks.some(({ status }) => status === "SUCCESS"),
    problems: Object.fromEntries(bad.map(({ errorMessage = "", id }) => [id, errorMessage]))
  }
}

const main = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/conformance/dist/index.js"
)

const scenarioOf = (folder: string) =>
  folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\dTZ.-]+$/, "")

/** Returns the scenarios that a revision requires of a server. */
export const requiredScenarios = async (revision: string): Promise<ReadonlyArray<string>> => {
  const { stdout } = await runNode([main, "list", "--requirements", revision])
  const [, servers = ""] = stdout.split("Server scenarios")
  const [section = ""] = servers.split("Client scenarios")
  return [...section.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name)
}

/** Runs the scenarios of a revision, which write to a folder, and returns the outcome of each, by its name. */
export const runSuite = async (
  revision: string,
  url: string,
  output: string
): Promise<ReadonlyMap<string, Outcome>> => {
  const wanted = ["--url", url, "--requirements", revision, "--output-dir", output]
  await runNode([main, "server", ...wanted], { cwd: output })
  const outcomes = readdirSync(output).map((folder) => {
    const checks: ReadonlyArray<Check> = JSON.parse(
      readFileSync(join(output, folder, "checks.json"), "utf8")
    )
    return [scenarioOf(folder), outcomeOf(checks)] as const
  })
  return new Map(outcomes)
}
