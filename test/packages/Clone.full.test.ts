import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, it } from "vitest"
import { runNode } from "../harness/Process.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

it("a clone is built in its real folder, also by a path through a symbolic link", async () => {
  const link = join(temporaryFolder(), "clone")
  symlinkSync(resolve("."), link)
  const args = ["scripts/compile.ts", "--dry", "--force", "packages/core"]
  // As a shell does.
  const { code, stdout } = await runNode(args, { cwd: link, env: { PWD: link } })
  expect(code).toBe(0)
  expect(stdout).toContain(`'${resolve("packages/core/tsconfig.json")}'`)
})

it("an Effect that nobody runs is an error of the compiler", async () => {
  const program = 'import * as Effect from "effect/Effect"\n\nEffect.succeed(1)\n'
  // Inside the workspace, where it finds Effect.
  const folder = mkdtempSync("node_modules/.cache/compiled-")
  try {
    writeFileSync(join(folder, "program.ts"), program)
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: resolve("tsconfig.base.json") })
    )
    const { code, stdout } = await runNode(["scripts/compile.ts", folder])
    expect(stdout).toContain("program.ts(3,1): error")
    expect(stdout).toContain("floatingEffect")
    expect(code).not.toBe(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
