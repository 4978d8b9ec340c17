/**
 * An authorization server on loopback, with its metadata, its keys, and tokens that they sign.
 */
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose"
import { once } from "node:events"
import { createServer, type Server, type ServerResponse } from "node:http"
import { onTestFinished } from "vitest"
import { portOf } from "../Listening.ts"

/** Starts a server on a free port of loopback, for one test. */
const listening = async (server: Server) => {
  await once(server.listen(0, "127.0.0.1"), "listening")
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  onTestFinished(close)
  return { url: `http://127.0.0.1:${portOf(server)}`, close }
}

/** How it responds to requests for its keys. */
type KeysResponse = "succeeds" | "fails" | "returns invalid keys" | "redirects"

const json = (response: ServerResponse, body: unknown) => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}

const makeKey = async (kid: string) => {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true })
  return {
    kid,
    privateKey,
    jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" },
    pem: await exportSPKI(publicKey)
  }
}

type Key = Awaited<ReturnType<typeof makeKey>>

export interface Options {
  /** The path of the issuer. */
  readonly path?: string
  /** Where the metadata is. */
  readonly metadata?: "oauth" | "openid"
  /** Wrong values for the metadata. */
  readonly wrongMetadata?: Readonly<Record<string, unknown>>
}

export const authorizationServer = async ({
  metadata = "oauth",
  path = "",
  wrongMetadata
}: Options = {}) => {
  const first = await makeKey("first")
  let keysResponse: KeysResponse = "succeeds"
  const asked: Array<string> = []
  const documentPath =
    metadata === "oauth"
      ? `/.well-known/oauth-authorization-server${path.replace(/\/$/, "")}`
      : `${path.replace(/\/$/, "")}/.well-known/openid-configuration`
  const server = createServer((request, response) => {
    const [asksFor = ""] = (request.url ?? "").split("?")
    asked.push(asksFor)
    if (asksFor === documentPath) {
      json(response, { issuer: `${url}${path}`, jwks_uri: `${url}/keys`, ...wrongMetadata })
    } else if (asksFor !== "/keys" && asksFor !== "/moved") {
      response.writeHead(404).end()
    } else if (asksFor === "/moved" || keysResponse === "succeeds") {
      json(response, { keys: [first.jwk] })
    } else if (keysResponse === "fails") {
      response.writeHead(500).end()
    } else if (keysResponse === "returns invalid keys") {
      json(response, { keys: "none" })
    } else {
      response.writeHead(302, { location: `${url}/moved` }).end()
    }
  })
  const { close, url } = await listening(server)
  const issuer = `${url}${path}`
  const audience = "https://mcp.example.com/mcp"
  const claims = (): JWTPayload => ({
    iss: issuer,
    aud: audience,
    sub: "someone",
    client_id: "assistant",
    scope: "messages:read messages:send",
    exp: Math.floor(Date.now() / 1000) + 300
  })
  return {
    issuer,
    audience,
    jwksUri: `${url}/keys`,
    first,
    makeKey,
    /** The requested paths, in order. */
    asked: asked as ReadonlyArray<string>,
    respondToKeys: (next: KeysResponse) => {
      keysResponse = next
    },
    close,
    /** Makes a valid token with the given claims changed; `undefined` removes one. */
    token: (
      changes: Readonly<Record<string, unknown>> = {},
      key: Key = first,
      header: Readonly<Record<string, unknown>> = {}
    ) =>
      new SignJWT({ ...claims(), ...changes })
        .setProtectedHeader({ alg: "ES256", kid: key.kid, ...header })
        .sign(key.privateKey),
    claims
  }
}

export type Issuer = Awaited<ReturnType<typeof authorizationServer>>
