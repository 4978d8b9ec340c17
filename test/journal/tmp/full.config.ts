import { defineConfig } from "vitest/config"
export default defineConfig({
  root: "/work/wt-journal",
  test: {
    include: ["test/journal/**/*.test.ts"],
    testTimeout: 180_000,
    isolate: false,
    env: { TEST_RUNS: "1" }
  }
})
