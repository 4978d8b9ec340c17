/**
 * The versions of the measured packages, and of those they are compared with.
 */
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

const Package = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

const Comparison = Schema.fromJsonString(
  Schema.Struct({ dependencies: Schema.Record(Schema.String, Schema.String) })
)

const { resolve } = createRequire(import.meta.url)

/** The version of a package in the workspace. */
export const versionOf = (name: string): string =>
  Schema.decodeUnknownSync(Package)(readFileSync(resolve(`${name}/package.json`), "utf8")).version

/** The versions of the packages in bench/comparison, by name. */
export const comparedVersions = (): Readonly<Record<string, string>> => {
  const file = new URL("comparison/package.json", import.meta.url)
  return Schema.decodeUnknownSync(Comparison)(readFileSync(file, "utf8")).dependencies
}
