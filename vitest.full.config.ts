import { globSync, readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"

/** Tests with random cases, or with routes that `test` leaves out: here they try all of them. */
const random = globSync("test/**/*.test.ts").filter((file) =>
  /support\/Runs\.ts|stdioRoutes/.test(readFileSync(file, "utf8"))
)

/** What needs the shipped bundle, other programs or long runs. */
export default defineConfig({
  test: {
    include: ["test/**/*.full.test.ts", ...random],
    globalSetup: ["test/support/ServerFile.ts"],
    // For a busy machine: alone, the longest takes half of it.
    testTimeout: 180_000,
    isolate: false,
    maxWorkers: "100%",
    env: { TEST_RUNS: "1" }
  }
})
