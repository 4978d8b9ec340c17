/**
 * The location of the built inbox. This is a separate module because the bundle of another package
 * has the file in another folder and replaces this module.
 */

// A function, because a bundle may have no `import.meta.url` when the module loads.
export const inboxFile = (): URL => new URL("../../dist/inbox.html", import.meta.url)
