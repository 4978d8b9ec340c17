/**
 * Hosts that are this machine.
 *
 * @since 0.1.0
 */

// Not *.localhost: outside browsers, a resolver may ask the network for it.
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Whether a host, as a URL writes it (IPv6 in brackets), is this machine, so that nobody else can
 * read what goes there.
 *
 * @since 0.1.0
 */
export const isLoopbackHost = (host: string): boolean => loopback.test(host)
