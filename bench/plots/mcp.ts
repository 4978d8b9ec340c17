/**
 * Calls per second of MCP servers, by the number of clients.
 */
import { shown } from "../report/figures.ts"
import type { Section } from "../report/results.ts"
import { plain } from "./bars.ts"
import { configOf, type Theme } from "./theme.ts"

export const mcp = ({ rows }: Section, theme: Theme): object => {
  const values = rows.map(({ labels, values: { clients = 0, rate = 0 } }) => ({
    server: plain(labels["server"] ?? ""),
    clients: `${clients} ${clients === 1 ? "client" : "clients"}`,
    rate,
    figure: shown(rate, "calls per second")
  }))
  const names = [...new Set(values.map(({ server }) => server))].toSorted((a) =>
    a === "ours" ? -1 : 0
  )
  const place = {
    x: {
      field: "clients",
      type: "nominal",
      sort: null,
      axis: { title: null, labelAngle: 0, ticks: false, labelFontSize: 13 }
    },
    xOffset: { field: "server", sort: names },
    y: {
      field: "rate",
      type: "quantitative",
      axis: { title: "calls per second", tickCount: 4 }
    }
  }
  return {
    config: configOf(theme),
    width: 640,
    height: 220,
    data: { values },
    layer: [
      {
        mark: { type: "bar", cornerRadiusEnd: 2 },
        encoding: {
          ...place,
          color: {
            field: "server",
            scale: { domain: names, range: [theme.ours, ...theme.others] },
            legend: { title: null, orient: "top", symbolType: "square" }
          }
        }
      },
      {
        mark: { type: "text", dy: -7 },
        encoding: { ...place, text: { field: "figure" } }
      }
    ]
  }
}
