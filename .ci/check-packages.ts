/** Checks the packed tarballs of all packages, as they would be published. */
import { spawnSync } from "node:child_process"
import { bounded, packPackages, stdoutOf, temporaryFolder } from "./support.ts"

const serverFiles = [
  "LICENSE",
  "README.md",
  "dist/SendsCommand.cjs",
  "dist/THIRD-PARTY-LICENSES.txt",
  "dist/http.cjs",
  "dist/inbox.html",
  "dist/jose.cjs",
  "dist/journal.cjs",
  "dist/main.cjs",
  "dist/otel.cjs",
  "dist/postgres.cjs",
  "dist/runtime.cjs",
  "dist/sandbox.cjs",
  "dist/server.cjs",
  "dist/undici.cjs",
  "package.json",
  "policy.schema.json"
]

const checkServerFiles = (name: string, paths: ReadonlySet<string>): void => {
  // There is no changelog before the first release.
  const packed = [...paths]
    .filter((path) => path !== "CHANGELOG.md")
    .toSorted()
    .join(", ")
  if (packed !== serverFiles.join(", ")) throw new Error(`${name} packs ${packed}`)
  console.log(`${name}: ${paths.size} files, no problem`)
}

for (const { name, filename, files } of packPackages(temporaryFolder())) {
  stdoutOf(spawnSync("publint", ["run", filename, "--strict"], bounded))
  const paths = new Set(files.map(({ path }) => path))
  // This package is only a program, so it has no types. Its build removes old files.
  if (name === "@messaging-topup/mcp-server") {
    checkServerFiles(name, paths)
    continue
  }
  stdoutOf(spawnSync("attw", [filename, "--profile", "esm-only", "--format", "ascii"], bounded))

  // `tsc -b` does not remove the output of a source that was deleted.
  const stale = [...paths].filter((path) => {
    const [, module] = /^dist\/(?!bundle\/)(.*)\.js$/.exec(path) ?? []
    return module !== undefined && !paths.has(`src/${module}.ts`)
  })
  if (stale.length > 0) {
    throw new Error(`${name} packs files without a source, remove its dist: ${stale.join(", ")}`)
  }
  console.log(`${name}: ${paths.size} files, no problem`)
}
