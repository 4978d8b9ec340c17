/** Makes the `icon.png` of the `.mcpb` from `icon.svg`. It needs Chromium. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { chromium } from "playwright-core"

const at = (path: string): string => join(import.meta.dirname, path)

/** In pixels: the size that hosts ask for. */
const size = 512

const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"]
})
const page = await browser.newPage({ viewport: { width: size, height: size } })
await page.setContent(
  `<style>body{margin:0}</style>${readFileSync(at("../mcpb/icon.svg"), "utf8")}`
)
await page.screenshot({ path: at("../mcpb/icon.png"), omitBackground: true })
await browser.close()
