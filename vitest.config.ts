import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

const cores = availableParallelism()

const tests = {
  include: ["test/**/*.test.ts"],
  // The files share nothing but modules, and loading those takes longer than most files run.
  isolate: false,
  // Tests make much garbage that dies young: with room for it, they take a sixth less CPU time.
  execArgv: ["--max-semi-space-size=64"],
  typecheck: {
    enabled: true,
    checker: "tsc",
    include: ["test/**/*.test-d.ts"],
    tsconfig: "test/tsconfig.types.json"
  }
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...tests,
          name: "quick",
          exclude: ["test/**/*.full.test.ts"],
          // They end what hangs, and no more: a busy machine takes ten times as long as a quiet one.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // One more than there are cores: tests on sockets wait for a part of their time.
          maxWorkers: cores + 1,
          sequence: { groupOrder: 0 }
        }
      },
      {
        // All tests, with all cases: also those that need the shipped bundle, other programs or long runs.
        test: {
          ...tests,
          name: "full",
          globalSetup: ["test/harness/ServerFile.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // Tests with processes and databases wait for most of their time.
          maxWorkers: cores * 2,
          sequence: { groupOrder: 1 },
          env: { TEST_RUNS: "1" }
        }
      }
    ]
  }
})
