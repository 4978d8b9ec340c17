/**
 * What the figures depend on. No date: making them again should change little.
 */
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { availableParallelism } from "node:os"

const decodePackage = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
)

const { resolve } = createRequire(import.meta.url)

const versionOf = (name: string): string =>
  `${name} ${decodePackage(readFileSync(resolve(`${name}/package.json`), "utf8")).version}`

export const machine = (): string =>
  [
    `${availableParallelism()} cores (${process.platform} ${process.arch})`,
    `Node ${process.versions.node}`,
    versionOf("effect"),
    versionOf("undici"),
    versionOf("esbuild")
  ].join(", ")
