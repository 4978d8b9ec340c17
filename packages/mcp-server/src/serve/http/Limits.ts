/**
 * The limits on what one caller can cost before it is authenticated.
 */

/** An SMS with all its fields is far smaller, and 100 rows of about 600 bytes fit. */
export const maxBodyBytes = 64 * 1024

/** How much of a refused body is read and discarded before the connection is closed. */
export const maxDrainedBytes = 1024 * 1024

/** Options of `node:http`, in milliseconds. The connection of a request that arrives too slowly is closed. */
export const connection = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  // Otherwise Node drops the second of two Authorization headers, and nothing can detect it.
  joinDuplicateHeaders: true
}

export const maxHeaders = 100
