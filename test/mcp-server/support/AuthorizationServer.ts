/**
 * An authorization server on loopback: its metadata, its keys, and tokens signed by them.
 */
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose"
import { createServer, type Server, type ServerResponse } from "node:http"

/** The server on a free port of loopback. */
export const listening = async (server: Server) => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

type Behaviour =
  | "serves"
  | "fails"
  | "responses nonsense"
  | "redirects"
  | "is silent"
  /** To every request: 8 MiB of blanks, and no end. */
  | "goes on and on"

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
  /** What the metadata says in place of the truth. */
  readonly lies?: Readonly<Record<string, unknown>>
}

export const authorizationServer = async ({
  lies,
  metadata = "oauth",
  path = ""
}: Options = {}) => {
  const first = await makeKey("first")
  let published: ReadonlyArray<Key> = [first]
  let behaviour: Behaviour = "serves"
  const asked: Array<string> = []
  let heard = () => {}
  let left = () => {}
  const documentPath =
    metadata === "oauth"
      ? `/.well-known/oauth-authorization-server${path.replace(/\/$/, "")}`
      : `${path.replace(/\/$/, "")}/.well-known/openid-configuration`
  const server = createServer((request, response) => {
    const [asksFor = ""] = (request.url ?? "").split("?")
    asked.push(asksFor)
    heard()
    response.on("close", () => {
      if (!response.writableFinished) left()
    })
    if (behaviour === "goes on and on") {
      response.writeHead(200, { "content-type": "application/json" })
      response.write(" ".repeat(8 * 1024 * 1024))
    } else if (asksFor === documentPath) {
      json(response, { issuer: `${url}${path}`, jwks_uri: `${url}/keys`, ...lies })
    } else if (asksFor !== "/keys" && asksFor !== "/moved") {
      response.writeHead(404).end()
    } else if (asksFor === "/moved" || behaviour === "serves") {
      json(response, { keys: published.map(({ jwk }) => jwk) })
    } else if (behaviour === "fails") {
      response.writeHead(500).end()
    } else if (behaviour === "responses nonsense") {
      json(response, { keys: "none" })
    } else if (behaviour === "redirects") {
      response.writeHead(302, { location: `${url}/moved` }).end()
    } else {
      response.writeHead(200).flushHeaders()
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
    /** The paths asked for, in order. */
    asked: asked as ReadonlyArray<string>,
    /** The next request of anyone. */
    nextRequest: () =>
      new Promise<void>((resolve) => {
        heard = resolve
      }),
    /** The next client that goes away before its response is complete. */
    nextDisconnect: () =>
      new Promise<void>((resolve) => {
        left = resolve
      }),
    publish: (...keys: ReadonlyArray<Key>) => {
      published = keys
    },
    behave: (next: Behaviour) => {
      behaviour = next
    },
    close,
    /** A good token, but for the claims given; `undefined` takes one away. */
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
