/**
 * Where a client learns which authorization server to ask: RFC 9728.
 */
import { oauthMetadataResponse } from "@modelcontextprotocol/server"
import type { OAuthSettings } from "./OAuthSettings.ts"
import * as Scopes from "../../Scopes.ts"

/** Answers requests for the document, and only those. */
export const resourceDocument = ({ issuer, resource }: OAuthSettings) => {
  const options = {
    oauthMetadata: {
      issuer,
      // The document has nothing of these, but the SDK's type wants them.
      authorization_endpoint: issuer,
      token_endpoint: issuer,
      response_types_supported: []
    },
    resourceServerUrl: new URL(resource),
    scopesSupported: [...Scopes.all],
    // The settings were checked, and the SDK does not know that [::1] is loopback.
    dangerouslyAllowInsecureIssuerUrl: true
  }
  return (request: Request): Response | undefined =>
    // The SDK would also speak for the authorization server, of which we know nothing.
    new URL(request.url).pathname.startsWith("/.well-known/oauth-protected-resource")
      ? oauthMetadataResponse(request, options)
      : undefined
}
