/**
 * Checks a page with axe.
 */
import axeCore from "axe-core"
import type { Frame, Page } from "playwright-core"

declare global {
  // The page has it after its source has run there.
  var axe: typeof axeCore
}

/** Returns what axe finds wrong in the page. */
export const findings = async (page: Frame | Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axeCore.source)
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document)
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  })
}
