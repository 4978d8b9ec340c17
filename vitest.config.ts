import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const cores = availableParallelism()

/** A file with random cases tries more of them in the full tests. */
const hasMoreCases = (file: string): boolean =>
  readFileSync(file, "utf8").includes("harness/Runs.ts")

const full = globSync("test/**/*.full.test.ts", { cwd: import.meta.dirname })
const quick = globSync("test/**/*.test.ts", { cwd: import.meta.dirname, exclude: full })

const rankOf = ({ moduleId, project }: TestSpecification): number => {
  if (project.name !== "full") return 0
  if (readFileSync(moduleId, "utf8").includes("/PostgresServer.ts")) return 1
  return moduleId.endsWith(".full.test.ts") ? 2 : 3
}

/** Databases, then other programs, then random cases: so no file that waits is left alone at the end. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    // oxlint-disable-next-line unicorn/no-array-sort -- it sorts a copy, by durations or else by sizes
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

const tests = {
  // The files share nothing but modules, and loading those takes longer than most files run.
  isolate: false,
  // Tests make much garbage that dies young: with room for it, they take a sixth less CPU time.
  execArgv: ["--max-semi-space-size=64"],
  // As the time-outs below: it ends what hangs.
  expect: { poll: { timeout: 60_000 } }
}

export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    projects: [
      {
        test: {
          ...tests,
          name: "quick",
          include: quick,
          typecheck: {
            enabled: true,
            checker: "tsc",
            include: ["test/**/*.test-d.ts"],
            tsconfig: "test/tsconfig.types.json"
          },
          // They end what hangs, and no more: a busy machine takes ten times as long as a quiet one.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // One more than there are cores: tests on sockets wait for a part of their time.
          maxWorkers: cores + 1,
          // Those that are concurrent wait for a time-out.
          maxConcurrency: 10,
          sequence: { groupOrder: 0 }
        }
      },
      {
        // What the quick tests leave out: the tests that need the shipped bundle, other programs or long runs,
        // and the other random cases.
        test: {
          ...tests,
          name: "full",
          include: [...full, ...quick.filter(hasMoreCases)],
          globalSetup: ["test/harness/Bundled.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          // Tests with processes and databases wait for most of their time.
          maxWorkers: cores * 2,
          sequence: { groupOrder: 1 },
          env: { TEST_RUNS: "1" }
        }
      }
    ]
  }
})
