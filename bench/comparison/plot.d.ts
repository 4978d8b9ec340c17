export const svgOf: (specification: object) => Promise<string>
