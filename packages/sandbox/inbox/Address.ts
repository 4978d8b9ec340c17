/**
 * Where the sandbox is: wherever this page came from.
 */
export const baseUrl = new URL(".", location.href).href.replace(/\/$/, "")

/** Whether only this machine can reach it. */
export const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(location.hostname)
