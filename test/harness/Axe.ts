/**
 * Checks a page with axe.
 */
import axeCore from "axe-core"
import type { Frame, Page } from "playwright-core"

declare global {
  // The page has it after its source has run there.
  var axe: typeof axeCore
}

/** Returns what axe finds wrong in the page, by all of its rules or by these. */
export const findings = async (
  page: Frame | Page,
  rules?: Array<string>
): Promise<ReadonlyArray<string>> => {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeCore.source)
  return page.evaluate(async (only) => {
    const { violations } = await globalThis.axe.run(document, {
      resultTypes: ["violations"],
      ...(only === undefined ? {} : { runOnly: only })
    })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  }, rules)
}
