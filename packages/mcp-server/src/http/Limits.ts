/**
 * What one caller may cost before it is authenticated.
 */

/** The longest SMS with all its fields is far below. */
export const maxBodyBytes = 64 * 1024

/** What is read and thrown away of a body that was refused; after that the connection is closed. */
export const maxDrainedBytes = 1024 * 1024

/** For `node:http`, times in milliseconds: a request that arrives too slowly loses its connection. */
export const connection = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  // Without it, the second of two Authorization headers would vanish before anyone sees that two came.
  joinDuplicateHeaders: true
}

export const maxHeaders = 100
