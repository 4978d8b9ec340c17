import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/BuildServer.ts"],
    testTimeout: 20_000,
    typecheck: {
      enabled: true,
      checker: "tsc",
      include: ["test/**/*.test-d.ts"],
      tsconfig: "test/tsconfig.types.json"
    }
  }
})
