/**
 * POSTs for one send that fails, by fault and client.
 */
import type { Section } from "../report/results.ts"
import { plain } from "./bars.ts"
import { configOf, type Theme } from "./theme.ts"

const clients = ["core, maximum", "`fetch` + zod", "axios", "stripe", "telnyx", "twilio"]

export const posts = ({ rows }: Section, theme: Theme): object => {
  const values = rows
    .filter(({ labels }) => labels["fault"] !== "connection refused")
    .flatMap((row) =>
      clients.map((client) => ({
        fault: row.labels["fault"],
        client: client === "core, maximum" ? "this client" : plain(client),
        posts: row.values[client]
      }))
    )
  const isResent = { test: "datum.posts > 1" }
  const place = {
    x: {
      field: "client",
      type: "nominal",
      sort: null,
      axis: { orient: "top", title: null, labelAngle: 0, domain: false, ticks: false }
    },
    y: {
      field: "fault",
      type: "nominal",
      sort: null,
      axis: { title: null, domain: false, ticks: false, labelPadding: 8 }
    }
  }
  return {
    config: configOf(theme),
    width: { step: 92 },
    height: { step: 36 },
    data: { values },
    encoding: place,
    layer: [
      {
        mark: { type: "rect", width: { band: 0.94 }, height: { band: 0.88 }, cornerRadius: 4 },
        encoding: {
          color: { condition: { ...isResent, value: theme.bad }, value: theme.fine }
        }
      },
      {
        mark: { type: "text", fontSize: 14, fontWeight: "bold" },
        encoding: {
          text: { field: "posts" },
          color: { condition: { ...isResent, value: theme.badText }, value: theme.fineText }
        }
      }
    ]
  }
}
