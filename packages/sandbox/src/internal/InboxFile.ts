/**
 * Where the built inbox is. It stands alone because the bundle of another package, which has the file
 * elsewhere, replaces it.
 */

// Not at the top of the module: a bundle may have no `import.meta.url`.
export const inboxFile = (): URL => new URL("../../dist/inbox.html", import.meta.url)
