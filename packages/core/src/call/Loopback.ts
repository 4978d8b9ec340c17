/**
 * Recognises loopback hosts.
 *
 * @since 0.1.0
 */

// Not *.localhost: outside browsers, a resolver may look it up on the network.
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Returns whether a host is a loopback host, so that traffic to it does not leave this machine.
 *
 * The host is written as in a URL: IPv6 in brackets.
 *
 * @since 0.1.0
 */
export const isLoopbackHost = (host: string): boolean => loopback.test(host)
