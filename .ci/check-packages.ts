/** Checks what would be published: the packed tarballs of all packages. */
import { spawnSync } from "node:child_process"
import { bounded, packPackages, stdoutOf, temporaryFolder } from "./support.ts"

for (const { name, filename, files } of packPackages(temporaryFolder())) {
  stdoutOf(spawnSync("publint", ["run", filename, "--strict"], bounded))
  stdoutOf(spawnSync("attw", [filename, "--profile", "esm-only", "--format", "ascii"], bounded))

  // `tsc -b` leaves what it once built from a source that is gone.
  const paths = new Set(files.map(({ path }) => path))
  const stale = [...paths].filter((path) => {
    const [, module] = /^dist\/(.*)\.js$/.exec(path) ?? []
    return module !== undefined && !paths.has(`src/${module}.ts`)
  })
  if (stale.length > 0) {
    throw new Error(`${name} packs files without a source, remove its dist: ${stale.join(", ")}`)
  }
  console.log(`${name}: ${paths.size} files, no problem`)
}
