/**
 * The time of a call, compared with other clients.
 */
import type { Section } from "../report/results.ts"
import { type Panel, panels, plain } from "./bars.ts"
import type { Theme } from "./theme.ts"

export const call = ({ rows }: Section, theme: Theme): object => {
  const cases = Map.groupBy(
    rows,
    ({ labels }) => `${plain(labels["operation"] ?? "")}\n${labels["atOnce"]} at once, µs`
  )
  const all = [...cases].map(([title, each]): Panel => ({
    title: title.split("\n"),
    bars: each.map(({ labels, values }) => ({
      name: labels["client"] ?? "",
      value: values["wall"] ?? Number.NaN,
      isOurs: labels["client"]?.startsWith("core") === true
    }))
  }))
  return panels(all, theme, 150)
}
