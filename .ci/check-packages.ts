/** Checks what would be published: the packed tarballs of all packages. */
import { spawnSync } from "node:child_process"
import { bounded, packPackages, stdoutOf, temporaryFolder } from "./support.ts"

const program = [
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

const checkProgram = (name: string, paths: ReadonlySet<string>): void => {
  // The first release makes the changelog.
  const packed = [...paths]
    .filter((path) => path !== "CHANGELOG.md")
    .toSorted()
    .join(", ")
  if (packed !== program.join(", ")) throw new Error(`${name} packs ${packed}`)
  console.log(`${name}: ${paths.size} files, no problem`)
}

for (const { name, filename, files } of packPackages(temporaryFolder())) {
  stdoutOf(spawnSync("publint", ["run", filename, "--strict"], bounded))
  const paths = new Set(files.map(({ path }) => path))
  // A package that is only a program has no types, and its build removes what was there before.
  if (name === "@messaging-topup/mcp-server") {
    checkProgram(name, paths)
    continue
  }
  stdoutOf(spawnSync("attw", [filename, "--profile", "esm-only", "--format", "ascii"], bounded))

  // `tsc -b` leaves what it once built from a source that is gone.
  const stale = [...paths].filter((path) => {
    const [, module] = /^dist\/(?!bundle\/)(.*)\.js$/.exec(path) ?? []
    return module !== undefined && !paths.has(`src/${module}.ts`)
  })
  if (stale.length > 0) {
    throw new Error(`${name} packs files without a source, remove its dist: ${stale.join(", ")}`)
  }
  console.log(`${name}: ${paths.size} files, no problem`)
}
