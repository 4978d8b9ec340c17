/**
 * Creates certificates during the test, so that the repository has no keys and no certificate
 * expires.
 */
import { generateKeyPairSync, sign } from "node:crypto"

export interface Certificate {
  readonly key: string
  readonly cert: string
}

// The DER types (X.690) that a certificate (RFC 5280) needs.
const der = (tag: number, ...contents: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(contents)
  const { length } = content
  const header =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(header), content])
}

const integer = (value: number) => der(0x02, Buffer.from([value]))
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content)
const octets = (content: Uint8Array) => der(0x04, content)
const utf8 = (value: string) => der(0x0c, Buffer.from(value))
const utcTime = (value: string) => der(0x17, Buffer.from(value))
const sequence = (...contents: ReadonlyArray<Uint8Array>) => der(0x30, ...contents)
const set = (content: Uint8Array) => der(0x31, content)
const context = (tag: number, content: Uint8Array) => der(0xa0 | tag, content)

const commonName = der(0x06, Buffer.from("550403", "hex"))
const subjectAltName = der(0x06, Buffer.from("551d11", "hex"))
const ecdsaWithSha256 = sequence(der(0x06, Buffer.from("2a8648ce3d040302", "hex")))

const pem = (label: string, content: Buffer) =>
  `-----BEGIN ${label}-----\n${content.toString("base64")}\n-----END ${label}-----\n`

const dnsName = (host: string) => der(0x82, Buffer.from(host))
const ipAddress = (address: string) => der(0x87, Buffer.from(address.split(".").map(Number)))

const ipv4 = /^\d+(\.\d+){3}$/

/** Creates a self-signed certificate for these names and IPv4 addresses. */
export const certificateFor = (...hosts: ReadonlyArray<string>): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = sequence(set(sequence(commonName, utf8("made by a test"))))
  const altNames = sequence(
    ...hosts.map((host) => (ipv4.test(host) ? ipAddress(host) : dnsName(host)))
  )
  const contents = sequence(
    context(0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(utcTime("000101000000Z"), utcTime("491231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    context(3, sequence(sequence(subjectAltName, octets(altNames))))
  )
  const signature = sign("sha256", contents, privateKey)
  return {
    key: pem("PRIVATE KEY", privateKey.export({ type: "pkcs8", format: "der" })),
    cert: pem("CERTIFICATE", sequence(contents, ecdsaWithSha256, bits(signature)))
  }
}
