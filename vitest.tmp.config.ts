import { defineConfig } from "vitest/config"
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 180_000,
    isolate: false,
    maxWorkers: 1,
    env: { TEST_RUNS: process.env.TEST_RUNS ?? "1" }
  }
})
