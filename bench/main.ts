/**
 * All benchmarks, one after the other. Prints each table as it is made and writes them to
 * docs/benchmarks.md. A target that is missed is shown there and fails nothing.
 */
import { writeFileSync } from "node:fs"
import { campaign } from "./campaign.ts"
import { installComparison } from "./comparison.ts"
import { decode } from "./decode.ts"
import { http } from "./http.ts"
import { machine } from "./machine.ts"
import { manyAtOnce } from "./many.ts"
import { mcp } from "./mcp.ts"
import { render } from "./report.ts"
import { size } from "./size.ts"
import { start } from "./start.ts"
import { wire } from "./wire.ts"

const intro = `# Benchmarks

Made by \`npx -y pnpm@12 bench\` in about eight minutes; not written by hand. This run: ${machine()}.

The contenders of a table alternate within one run; figures are medians of 15 rounds, and ratios are taken
round by round. Trust ratios to about ±15 %, and times only on this machine.
`

const print = (text: string): string => {
  console.log(text)
  return text
}

installComparison()

const parts = [print(intro)]
for (const part of [wire, http, manyAtOnce, campaign, decode, size, start])
  parts.push(print(render(await part())))
for (const section of await mcp()) parts.push(print(render(section)))

writeFileSync(new URL("../docs/benchmarks.md", import.meta.url), parts.join("\n"))
