/**
 * The address of the sandbox, which is where this page was loaded from.
 */
export const baseUrl = new URL(".", location.href).href.replace(/\/$/, "")

/** Whether only this machine can reach the sandbox. */
export const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(location.hostname)
