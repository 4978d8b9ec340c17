/**
 * Draws a specification of Vega-Lite as SVG, without a browser.
 */
export const svgOf = async (specification) => {
  const { compile } = await import("vega-lite")
  const { parse, resetSVGDefIds, textMetrics, View } = await import("vega")
  // Without a canvas, Vega assumes wide characters, and half of the plot stays empty.
  textMetrics.width = ({ fontSize = 11 }, text) => 0.56 * fontSize * String(text ?? "").length
  // Otherwise the ids continue from the previous plot, and the same plot gives a different file.
  resetSVGDefIds()
  const view = new View(parse(compile(specification).spec), { renderer: "none" })
  try {
    return await view.toSVG()
  } finally {
    view.finalize()
  }
}
