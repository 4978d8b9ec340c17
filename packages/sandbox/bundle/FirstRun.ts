/**
 * Makes the picture at the top of the README: the real output of programs in a terminal, above the
 * inbox. It is narrow and has two pixels for each of its own, so that it is legible on a phone.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import type { Browser } from "playwright-core"

const root = fileURLToPath(new URL("../../../", import.meta.url))

const colorSchemes = ["light", "dark"] as const

const inbox = { width: 760, height: 400 }

interface Line {
  readonly shown: string
  readonly command: string
  readonly args: ReadonlyArray<string>
}

const send: Line = {
  shown: "node send.mts",
  command: process.execPath,
  args: ["examples/send.ts"]
}

/** Returns the output as a person sees it. The last command is expected to fail. */
const printed = ({ args, command, shown }: Line, env: NodeJS.ProcessEnv): Promise<string> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd: root, env }, (_failure, stdout, stderr) => {
      resolve(`$ ${shown}\n${stripVTControlCharacters(stdout + stderr)}`)
    })
  })

const transcript = async (url: string, token: string): Promise<string> => {
  const env = { ...process.env, MESSAGING_TOPUP_BASE_URL: url, MESSAGING_TOPUP_TOKEN: token }
  const fault = '{"fault":"ResetAfterAcceptance","times":1}'
  const json = "content-type: application/json"
  const lose: Line = {
    shown: `curl -X PUT $SANDBOX/_sandbox/fault \\\n    -H '${json}' \\\n    -d '${fault}'`,
    command: "curl",
    args: ["-s", "-o", "/dev/null", "-X", "PUT", `${url}/_sandbox/fault`, "-H", json, "-d", fault]
  }
  const first = await printed(send, env)
  return [first, await printed(lose, env), await printed(send, env)].join("\n")
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const pageOf = (text: string, png: Buffer): string => `<!doctype html>
<style>
  :root { color-scheme: light dark }
  body { margin: 0; padding: 16px; display: grid; gap: 16px; background: light-dark(#fff, #0d1117) }
  pre, img { margin: 0; border: 1px solid light-dark(#d0d7de, #30363d); border-radius: 8px }
  pre {
    box-sizing: border-box; width: ${inbox.width + 2}px; padding: 16px; white-space: pre-wrap;
    overflow-wrap: anywhere; font: 16px/1.5 ui-monospace, "DejaVu Sans Mono", monospace;
    background: light-dark(#f6f8fa, #161b22); color: light-dark(#1f2328, #e6edf3)
  }
  img { width: ${inbox.width}px; height: ${inbox.height}px }
</style>
<pre>${escaped(text)}</pre><img src="data:image/png;base64,${png.toString("base64")}">`

export const firstRun = async (browser: Browser, url: string, token: string): Promise<void> => {
  const text = await transcript(url, token)
  for (const colorScheme of colorSchemes) {
    // oxlint-disable no-await-in-loop -- one page at a time
    const context = await browser.newContext({
      colorScheme,
      viewport: inbox,
      deviceScaleFactor: 2,
      locale: "en-GB",
      reducedMotion: "reduce"
    })
    const page = await context.newPage()
    await page.goto(url)
    await page.getByText("Live", { exact: true }).waitFor()
    await page.getByText("Your code is 4711").first().waitFor()
    const png = await page.screenshot()
    // The inbox's page only allows its own styles, so the picture needs another page.
    const both = await context.newPage()
    await both.setViewportSize({ width: inbox.width + 34, height: 100 })
    await both.setContent(pageOf(text, png))
    await both.screenshot({
      path: `${root}docs/images/first-run-${colorScheme}.png`,
      fullPage: true
    })
    await context.close()
    // oxlint-enable no-await-in-loop
  }
}
