/**
 * Modules by the end of their paths, or by a folder. No patterns: if one of several names in a pattern is that of nothing
 * any more, the others still fit.
 */

/** Whether a module is at a path: `core/src/SmsText.ts`, or all in `core/src/errors/`. */
export const isAt = (id: string, path: string): boolean =>
  path.endsWith("/") ? id.includes(`/${path}`) : id.endsWith(`/${path}`)

/** Fails if nothing is at one of the paths: a module may have another name now. `what` says whose paths they are. */
export const requireModules = (
  what: string,
  paths: ReadonlyArray<string>,
  ids: ReadonlyArray<string>
): void => {
  const missing = paths.filter((path) => !ids.some((id) => isAt(id, path)))
  if (missing.length > 0) throw new Error(`${what}: no module is at ${missing.join(", ")}`)
}
