/**
 * Builds the inbox: one HTML file that contains its script and its style. So its content security
 * policy needs only two hashes (`script-src`, `style-src`).
 */
import * as SchemaAST from "effect/SchemaAST"
import { transform } from "esbuild"
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type OutputChunk } from "rolldown"
import { ActiveFault, afterAcceptance } from "../src/faults/FaultSchema.ts"
import { forcedOutcomes } from "../src/service/ForcedOutcomes.ts"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const root = at("../../../")
const source = at("../inbox/")

/** Makes the tables that the page shows. Their modules would add Effect to the page. */
const outcomes = forcedOutcomes.map(({ accepted, response, suffix }) => ({
  accepted,
  response,
  suffix
}))

const faults = ActiveFault.members.map((schema) => ({
  name: schema.fields.fault.schema.literal,
  title: SchemaAST.resolveTitle(schema.ast),
  description: SchemaAST.resolveDescription(schema.ast),
  accepts: afterAcceptance.some((accepting) => accepting === schema)
}))

const bundleScript = async (): Promise<OutputChunk> => {
  const { output } = await build({
    input: join(source, "main.tsx"),
    cwd: root,
    platform: "browser",
    write: false,
    transform: {
      target: "es2023",
      define: { FORCED_OUTCOMES: JSON.stringify(outcomes), FAULTS: JSON.stringify(faults) }
    },
    output: { format: "esm", minify: true, comments: false, codeSplitting: false }
  })
  return output[0]
}

const bundleStyle = async (): Promise<string> => {
  const files = globSync("styles/*.css", { cwd: source }).toSorted()
  const sheet = files.map((file) => readFileSync(join(source, file), "utf8")).join("\n")
  const { code } = await transform(sheet, { loader: "css", minify: true })
  return code.trim()
}

// A browser ends the script element at the first `</script`, even inside a string.
const inScript = (code: string): string => code.trim().replaceAll("</script", "<\\/script")

/** Writes the page. Returns the bundled chunk, for the licences of its packages. */
export const buildInbox = async (outFile: string): Promise<OutputChunk> => {
  const [script, style] = await Promise.all([bundleScript(), bundleStyle()])
  const page = readFileSync(join(source, "page.html"), "utf8")
    .replace("/* style */", () => style)
    .replace("/* script */", () => inScript(script.code))
  mkdirSync(dirname(outFile), { recursive: true })
  writeFileSync(outFile, page)
  return script
}
