/** Checks the packed tarballs of all packages, as they would be published. Run `pnpm pack:all` first. */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { bounded, stdoutOf, tarballs } from "./support.ts"

/** Two packages are programs, without sources. Tests list the files of their `dist`. */
const programs = new Set(["@messaging-topup/mcp-server", "messaging-topup"])
const programFile =
  /^(LICENSE|(README|CHANGELOG)\.md|package\.json|dist\/(\w+\.cjs|THIRD-PARTY-LICENSES\.txt))$/

for (const [name, file] of Object.entries(tarballs())) {
  stdoutOf(spawnSync("publint", ["run", file, "--strict"], bounded))
  stdoutOf(spawnSync("attw", [file, "--profile", "esm-only", "--format", "ascii"], bounded))
  const listed = stdoutOf(spawnSync("tar", ["-tzf", file], bounded))
    .trim()
    .split("\n")
  const paths = new Set(listed.map((path) => path.replace(/^package\//, "")))
  const wrong = [...paths].filter((path) => {
    if (programs.has(name)) return !programFile.test(path)
    // `tsc -b` does not remove the output of a source that was deleted.
    const [, module] = /^dist\/(?!bundle\/)(.*)\.js$/.exec(path) ?? []
    return module !== undefined && !paths.has(`src/${module}.ts`)
  })
  assert.deepEqual(wrong, [], `${name} packs files that it should not: remove its dist`)
  console.log(`${name}: ${paths.size} files, no problem`)
}
