/**
 * Draws a specification of Vega-Lite as SVG, without a browser.
 */
export const svgOf = async (specification) => {
  const { compile } = await import("vega-lite")
  const { parse, resetSVGDefIds, textMetrics, View } = await import("vega")
  // Without a canvas Vega takes every character for a wide one, and leaves half of the plot empty.
  textMetrics.width = ({ fontSize = 11 }, text) => 0.56 * fontSize * String(text ?? "").length
  // They go on from the plots before: the same plot would not be the same file.
  resetSVGDefIds()
  const view = new View(parse(compile(specification).spec), { renderer: "none" })
  try {
    return await view.toSVG()
  } finally {
    view.finalize()
  }
}
