/** The version of this package; `pnpm release:version` writes it. */
export const version = "0.0.0"
