/**
 * Well-known clients, each with its own defaults, with the address of our server. They are made for other
 * services. Here each makes one POST with a short text, and one GET of its status.
 *
 * Each client is imported only when it is used, so that a process loads only one.
 */

const token = "token-of-the-benchmark"
const text = "Your code is 4711"
const recipient = "+15550100"

const axios = async (url, timeoutMillis) => {
  const { default: make } = await import("axios")
  const client = make.create({
    baseURL: url,
    timeout: timeoutMillis,
    headers: { authorization: `Bearer ${token}` }
  })
  return {
    sendSms: async () => (await client.post("/sms/send", { recipient, message: text })).data,
    getSmsStatus: async () => (await client.get("/sms/bench-1")).data
  }
}

const stripe = async (url, timeoutMillis) => {
  const { default: Stripe } = await import("stripe")
  const { hostname: host, port } = new URL(url)
  const client = new Stripe(token, { host, port, protocol: "http", timeout: timeoutMillis })
  return {
    sendSms: () => client.rawRequest("POST", "/v1/sms/send", { recipient, message: text }),
    getSmsStatus: () => client.rawRequest("GET", "/v1/sms/bench-1")
  }
}

const telnyx = async (url, timeoutMillis) => {
  const { default: Telnyx } = await import("telnyx")
  const client = new Telnyx({ apiKey: token, baseURL: url, timeout: timeoutMillis })
  return {
    sendSms: () => client.messages.send({ to: recipient, from: "BENCH", text }),
    getSmsStatus: () => client.messages.retrieve("bench-1")
  }
}

const twilio = async (url, timeoutMillis) => {
  const { default: make } = await import("twilio")
  const { default: loaded } = await import("twilio/lib/base/RequestClient.js")
  const RequestClient = loaded.default ?? loaded
  class LocalClient extends RequestClient {
    request(options) {
      const { origin } = new URL(options.uri)
      return super.request({ ...options, uri: options.uri.replace(origin, url) })
    }
  }
  const client = make("AC00000000000000000000000000000000", token, {
    httpClient: new LocalClient({ timeout: timeoutMillis })
  })
  return {
    sendSms: () => client.messages.create({ to: recipient, from: "BENCH", body: text }),
    getSmsStatus: () => client.messages("SM00").fetch()
  }
}

export const clients = { axios, stripe, telnyx, twilio }
