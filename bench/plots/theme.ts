/**
 * The colours of the plots, for GitHub's light and dark backgrounds.
 */
export interface Theme {
  readonly name: "light" | "dark"
  readonly text: string
  readonly quietText: string
  readonly line: string
  /** The colour of our packages. */
  readonly ours: string
  /** One colour for all others, if their places distinguish them. */
  readonly other: string
  /** The colours of the others, if only colours distinguish them. */
  readonly others: ReadonlyArray<string>
  readonly fine: string
  readonly fineText: string
  readonly bad: string
  readonly badText: string
}

export const themes: ReadonlyArray<Theme> = [
  {
    name: "light",
    text: "#1f2328",
    quietText: "#59636e",
    line: "#d1d9e0",
    ours: "#0969da",
    other: "#afb8c1",
    others: ["#818b98", "#b0b9c3", "#d4a72c"],
    fine: "#dafbe1",
    fineText: "#116329",
    bad: "#cf222e",
    badText: "#ffffff"
  },
  {
    name: "dark",
    text: "#f0f6fc",
    quietText: "#9198a1",
    line: "#3d444d",
    ours: "#4493f8",
    other: "#656c76",
    others: ["#9198a1", "#656c76", "#bb8009"],
    fine: "#12361f",
    fineText: "#7ee787",
    bad: "#da3633",
    badText: "#ffffff"
  }
]

/** The configuration of every plot. */
export const configOf = ({ line, quietText, text }: Theme) => ({
  // The document has an alternative text for the image.
  aria: false,
  background: "transparent",
  font: "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif",
  padding: 8,
  view: { stroke: null },
  axis: {
    labelColor: quietText,
    titleColor: quietText,
    labelFontSize: 12,
    titleFontSize: 12,
    titlePadding: 12,
    titleFontWeight: "normal",
    gridColor: line,
    domainColor: line,
    tickColor: line,
    labelLimit: 0
  },
  axisY: { labelColor: text },
  legend: {
    labelLimit: 0,
    labelColor: text,
    titleColor: quietText,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: "normal"
  },
  header: { labelColor: text, titleColor: text, labelFontSize: 12, labelFontWeight: "bold" },
  title: { color: text, fontSize: 12, fontWeight: "bold", anchor: "start" },
  text: { color: text, fontSize: 11 }
})
