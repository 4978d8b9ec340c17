/** Checks the packed tarballs of all packages, as they would be published. */
import { spawnSync } from "node:child_process"
import { bounded, packPackages, stdoutOf } from "./support.ts"

/** The MCP server is a program and a module, without sources. A test lists the files of its `dist`. */
const serverFile =
  /^(LICENSE|(README|CHANGELOG)\.md|package\.json|policy\.schema\.json|toolkit\/dist\/toolkit\.(js|d\.ts)|dist\/(\w+\.cjs|THIRD-PARTY-LICENSES\.txt))$/

for (const { name, filename, files } of packPackages()) {
  stdoutOf(spawnSync("publint", ["run", filename, "--strict"], bounded))
  const paths = new Set(files.map(({ path }) => path))
  stdoutOf(spawnSync("attw", [filename, "--profile", "esm-only", "--format", "ascii"], bounded))
  const isServer = name === "@messaging-topup/mcp-server"
  const wrong = [...paths].filter((path) => {
    if (isServer) return !serverFile.test(path)
    // `tsc -b` does not remove the output of a source that was deleted.
    const [, module] = /^dist\/(?!bundle\/)(.*)\.js$/.exec(path) ?? []
    return module !== undefined && !paths.has(`src/${module}.ts`)
  })
  if (wrong.length > 0) {
    throw new Error(`${name} packs files that it should not, remove its dist: ${wrong.join(", ")}`)
  }
  console.log(`${name}: ${paths.size} files, no problem`)
}
