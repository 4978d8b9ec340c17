/**
 * Loads modules of Node when a function of theirs is first called: crypto alone takes a twentieth of the
 * start.
 */
import type { Plugin } from "rolldown"

/** The functions that our code imports, by their module. */
const functionsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  "node:crypto": ["createHash", "createHmac", "randomBytes", "timingSafeEqual"],
  "node:os": ["homedir"],
  "node:zlib": ["createBrotliDecompress", "createGunzip", "createInflate", "createInflateRaw"]
}

const prefix = "\0lazy:"

const isOurs = /\/packages\/[\w-]+\/src\//

export const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  resolveId: (source, importer = "") =>
    source in functionsOf && isOurs.test(importer) ? prefix + source : null,
  load: (id) => {
    const module = id.slice(prefix.length)
    const functions = id.startsWith(prefix) ? functionsOf[module] : undefined
    return functions === undefined
      ? null
      : functions
          .map(
            (name) =>
              `export const ${name} = (...args) => process.getBuiltinModule("${module}").${name}(...args)`
          )
          .join("\n")
  }
}
