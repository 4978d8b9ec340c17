/**
 * Installed size, number of packages and import time, compared with other packages.
 */
import type { Section } from "../report/results.ts"
import { panels } from "./bars.ts"
import type { Theme } from "./theme.ts"

const titles = {
  installed: "Installed, MB",
  packages: "Packages",
  importTime: "Import, ms"
}

export const own = ({ rows }: Section, theme: Theme): object =>
  panels(
    Object.entries(titles).map(([of, title]) => ({
      title: [title],
      bars: rows.map(({ labels, values }) => ({
        name: labels["install"] ?? "",
        value: values[of] ?? Number.NaN,
        isOurs: labels["install"]?.startsWith("core") === true
      }))
    })),
    theme,
    185
  )
