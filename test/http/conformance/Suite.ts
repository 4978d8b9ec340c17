/**
 * The official conformance suites, run as child processes against a server.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

export interface Suite {
  /** The name of its package in this workspace. */
  readonly from: string
  readonly args: ReadonlyArray<string>
  /** The arguments that list the scenarios that `args` run. */
  readonly list: ReadonlyArray<string>
}

export const suites = {
  "2026-07-28": {
    from: "@modelcontextprotocol/conformance",
    args: ["--requirements", "2026-07-28"],
    list: ["--requirements", "2026-07-28"]
  },
  "2025-11-25": {
    from: "@modelcontextprotocol/conformance",
    args: ["--requirements", "2025-11-25"],
    list: ["--requirements", "2025-11-25"]
  },
  "2025-11-25, first suite": {
    from: "conformance-2025",
    args: ["--suite", "all", "--spec-version", "2025-11-25"],
    list: ["--server", "--spec-version", "2025-11-25"]
  }
} satisfies Readonly<Record<string, Suite>>

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

const main = (from: string) => createRequire(import.meta.url).resolve(`${from}/dist/index.js`)

const scenarioOf = (folder: string) =>
  folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\dTZ.-]+$/, "")

/** Returns the scenarios that the suite requires of a server. */
export const requiredScenarios = async ({ from, list }: Suite): Promise<ReadonlyArray<string>> => {
  const { stdout } = await promisify(execFile)(process.execPath, [main(from), "list", ...list])
  const [, servers = ""] = stdout.split("Server scenarios")
  const [section = ""] = servers.split("Client scenarios")
  return [...section.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name)
}

/** Runs a suite, and returns the outcome of each scenario, by its name. */
export const runSuite = async (
  { args, from }: Suite,
  url: string
): Promise<ReadonlyMap<string, Outcome>> => {
  const output = await mkdtemp(join(tmpdir(), "conformance-"))
  const child = spawn(
    process.execPath,
    [main(from), "server", "--url", url, ...args, "--output-dir", output],
    { stdio: "ignore", cwd: output }
  )
  try {
    await once(child, "exit")
    const folders = await readdir(output)
    const outcomes = folders.map(async (folder) => {
      const checks: ReadonlyArray<Check> = JSON.parse(
        await readFile(join(output, folder, "checks.json"), "utf8")
      )
      return [scenarioOf(folder), outcomeOf(checks)] as const
    })
    return new Map(await Promise.all(outcomes))
  } finally {
    child.kill()
    await rm(output, { recursive: true, force: true })
  }
}
