/** What is wrong with the URL of a database, said before anything connects. No text of the URL is repeated. */
import * as Result from "effect/Result"

const unreadable =
  "the URL cannot be read: write special characters of the user and the password as %40 for @, %2F for /, %3F for ?, %23 for # and %25 for %"

/** The driver's: as in libpq, but it checks each certificate. */
const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/** What libpq reads of files, and the driver does not. */
const files = ["sslcert", "sslkey", "sslcrl", "sslpassword"]

const isWhole = (text: string, from: number, to: number): boolean =>
  /^\d+$/.test(text) && Number(text) >= from && Number(text) <= to

const isDecodable = (text: string): boolean =>
  Result.isSuccess(Result.try(() => decodeURIComponent(text)))

/** What the driver refuses, or leaves out without a word. */
const problemOfSettings = (url: URL): string | undefined => {
  const valuesOf = (name: string) => url.searchParams.getAll(name)
  if (!valuesOf("sslmode").every((mode) => sslModes.includes(mode))) {
    return `sslmode in the URL: give one of ${sslModes.join(", ")}`
  }
  if (valuesOf("sslrootcert").some((file) => file !== "system")) {
    return "sslrootcert in the URL has no effect: leave it out, and name the file in NODE_EXTRA_CA_CERTS"
  }
  const file = files.find((name) => url.searchParams.has(name))
  if (file !== undefined) return `${file} in the URL has no effect: leave it out`
  const ports = [...valuesOf("port"), ...(url.port === "" ? [] : [url.port])]
  if (!ports.every((port) => isWhole(port, 1, 65_535))) {
    return "port in the URL: give a number from 1 to 65535"
  }
  return valuesOf("connect_timeout").every((text) => isWhole(text, 0, Number.MAX_SAFE_INTEGER))
    ? undefined
    : "connect_timeout in the URL: give whole seconds"
}

/** Returns what cannot work in a URL that begins with `postgres://`; undefined if nothing is known to be wrong. */
export const problemOfUrl = (text: string): string | undefined => {
  const [, authority = ""] = /^\w+:\/\/([^/?#]*)/.exec(text) ?? []
  const servers = authority.slice(authority.lastIndexOf("@") + 1)
  if (servers.includes(",")) return "the URL names several servers: give one"
  if (servers === "" && authority !== "") {
    return "the URL names no server: for a socket, write postgres:///DATABASE?host=/FOLDER&user=USER"
  }
  const url = Result.getOrUndefined(Result.try(() => new URL(text)))
  if (url === undefined) return unreadable
  const { hash, hostname, password, pathname, search, searchParams, username } = url
  const hasUser = username !== "" || searchParams.has("user")
  // What comes after the server begins with the rest of a password.
  const isTorn =
    hash !== "" ||
    pathname.includes("@") ||
    [...searchParams.keys()].some((name) => name.includes("@")) ||
    (!hasUser && search.includes("@"))
  if (isTorn || ![username, password, hostname, pathname].every(isDecodable)) return unreadable
  if (searchParams.getAll("host").some((host) => host.includes(","))) {
    return "the URL names several servers: give one"
  }
  const { USER, USERNAME } = process.env
  // The driver's default.
  return hasUser || USER !== undefined || USERNAME !== undefined
    ? problemOfSettings(url)
    : "the URL names no user"
}
