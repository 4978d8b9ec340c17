/**
 * The forms that a bearer token can have.
 */

/** As RFC 6750 §2.1 has it: what a header can carry as one credential. */
const token = "[\\w.~+/-]+=*"

const whole = new RegExp(`^${token}$`)
const credentials = new RegExp(`^Bearer ${token}$`, "i")

export const isBearerToken = (text: string): boolean => whole.test(text)

/** Whether an Authorization header is one bearer token and nothing else. */
export const isOneBearerToken = (header: string): boolean => credentials.test(header)

/** Three parts, of which the last, the signature, may be empty. */
export const looksLikeJwt = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)
