/**
 * The inbox as it ships: one HTML file with its script and its style inside, so that a policy of two
 * hashes (`script-src`, `style-src`) is all that it needs.
 */
import { transform } from "esbuild"
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type OutputChunk } from "rolldown"
import { forcedOutcomes } from "../src/ForcedOutcomes.ts"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const root = at("../../../")
const source = at("../inbox/")

// The table alone: its module would bring Effect into the page.
const table = forcedOutcomes.map(({ accepted, response, suffix }) => ({
  accepted,
  response,
  suffix
}))

const bundleScript = async (): Promise<OutputChunk> => {
  const { output } = await build({
    input: join(source, "main.tsx"),
    cwd: root,
    platform: "browser",
    write: false,
    transform: {
      target: "es2023",
      define: { FORCED_OUTCOMES: JSON.stringify(table) }
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

// The browser ends an element at the first of these, wherever it stands.
const inScript = (code: string): string => code.trim().replaceAll("</script", "<\\/script")

/** Writes the page. Says what went into it, whose licences have to come along. */
export const buildInbox = async (outFile: string): Promise<OutputChunk> => {
  const [script, style] = await Promise.all([bundleScript(), bundleStyle()])
  const page = readFileSync(join(source, "page.html"), "utf8")
    .replace("/* style */", () => style)
    .replace("/* script */", () => inScript(script.code))
  mkdirSync(dirname(outFile), { recursive: true })
  writeFileSync(outFile, page)
  return script
}
