import { symlinkSync } from "node:fs"
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
