import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // `vitest.full.config.ts` runs these.
    exclude: ["test/**/*.full.test.ts"],
    testTimeout: 20_000,
    // The files share nothing but modules, and loading those takes longer than most files run.
    isolate: false,
    // One more than there are cores: tests on sockets wait for a part of their time.
    maxWorkers: availableParallelism() + 1,
    typecheck: {
      enabled: true,
      checker: "tsc",
      include: ["test/**/*.test-d.ts"],
      tsconfig: "test/tsconfig.types.json"
    }
  }
})
