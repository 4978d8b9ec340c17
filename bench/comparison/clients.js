/**
 * The packages of others that send an SMS, each with its own defaults, the address of our server, and the responses of
 * its own service. `axios` stands for a client that somebody writes, and `stripe` for a service with idempotency keys.
 *
 * A package is imported only when it is used, so that a process loads only one. MessageBird's has a fixed address.
 */

const token = "token-of-the-benchmark"
const text = "Your code is 4711"
const to = "+15550100"
const from = "BENCH"

const sns = (body) => `<?xml version="1.0"?>${body}`
const snsNamespace = 'xmlns="http://sns.amazonaws.com/doc/2010-03-31/"'
const snsMetadata = "<ResponseMetadata><RequestId>bench-1</RequestId></ResponseMetadata>"

/**
 * By the name of the package: how to send one SMS, the path of its POST, and the bodies with which its service accepts
 * it or responds with a status of a failure.
 */
export const clients = {
  axios: {
    path: "/sms/send",
    status: 202,
    accepted: {
      success: true,
      status: 202,
      message: "Accepted",
      data: [{ recipient: to, message_id: "bench-1", status: "SANDBOX_QUEUED" }]
    },
    failed: (status) => ({ success: false, error: { status, title: "Failed", detail: "" } }),
    connect: async (url, timeout) => {
      const { default: make } = await import("axios")
      const client = make.create({
        baseURL: url,
        timeout,
        headers: { authorization: `Bearer ${token}` }
      })
      return () => client.post("/sms/send", { recipient: to, message: text })
    }
  },

  stripe: {
    path: "/v1/customers",
    status: 200,
    accepted: { id: "cus_1", object: "customer" },
    failed: () => ({ error: { type: "api_error", message: "Failed" } }),
    connect: async (url, timeout) => {
      const { default: Stripe } = await import("stripe")
      const { hostname: host, port } = new URL(url)
      const client = new Stripe(token, { host, port, protocol: "http", timeout })
      return () => client.customers.create({ phone: to, description: text })
    }
  },

  "@aws-sdk/client-sns": {
    path: "/",
    status: 200,
    type: "text/xml",
    accepted: sns(
      `<PublishResponse ${snsNamespace}><PublishResult><MessageId>bench-1</MessageId></PublishResult>${snsMetadata}</PublishResponse>`
    ),
    failed: (status) => {
      const code = status === 429 ? "Throttled" : "InternalError"
      return sns(
        `<ErrorResponse ${snsNamespace}><Error><Type>Receiver</Type><Code>${code}</Code><Message>Failed</Message></Error></ErrorResponse>`
      )
    },
    connect: async (url, timeout) => {
      const { PublishCommand, SNSClient } = await import("@aws-sdk/client-sns")
      const client = new SNSClient({
        endpoint: url,
        region: "us-east-1",
        credentials: { accessKeyId: "BENCH", secretAccessKey: token },
        requestHandler: { requestTimeout: timeout, throwOnRequestTimeout: true }
      })
      return () => client.send(new PublishCommand({ PhoneNumber: to, Message: text }))
    }
  },

  "@infobip-api/sdk": {
    path: "/sms/2/text/advanced",
    status: 200,
    accepted: {
      messages: [{ to, messageId: "bench-1", status: { groupId: 1, groupName: "PENDING", id: 26 } }]
    },
    failed: () => ({
      requestError: { serviceException: { messageId: "GENERAL_ERROR", text: "Failed" } }
    }),
    // It has no option for a time-out.
    connect: async (url) => {
      const { AuthType, Infobip } = await import("@infobip-api/sdk")
      const client = new Infobip({ baseUrl: url, apiKey: token, authType: AuthType.ApiKey })
      return async () => {
        const message = { destinations: [{ to }], from, text }
        const result = await client.channels.sms.send({ messages: [message] })
        // It returns its errors.
        if (result instanceof Error) throw result
      }
    }
  },

  "@sinch/sdk-core": {
    path: "/xms/v1/bench/batches",
    status: 201,
    accepted: { id: "bench-1", to: [to], from, body: text, type: "mt_text", canceled: false },
    failed: () => ({ code: "internal_error", text: "Failed" }),
    // It has no option for a time-out.
    connect: async (url) => {
      const { SinchClient } = await import("@sinch/sdk-core")
      const plan = { servicePlanId: "bench", apiToken: token, smsHostname: url }
      const { batches } = new SinchClient(plan).sms
      const sendSMSRequestBody = { to: [to], from, body: text, type: "mt_text" }
      return () => batches.send({ sendSMSRequestBody })
    }
  },

  "@vonage/sms": {
    path: "/sms/json",
    status: 200,
    accepted: { "message-count": "1", messages: [{ to, "message-id": "bench-1", status: "0" }] },
    failed: () => ({ "message-count": "1", messages: [{ status: "5", "error-text": "Failed" }] }),
    connect: async (url, timeout) => {
      const { Auth } = await import("@vonage/auth")
      const { SMS } = await import("@vonage/sms")
      const auth = new Auth({ apiKey: "bench", apiSecret: token })
      const client = new SMS(auth, { restHost: url, timeout })
      return () => client.send({ to, from, text })
    }
  },

  plivo: {
    path: "/v1/Account/bench/Message/",
    status: 202,
    accepted: { message: "message(s) queued", message_uuid: ["bench-1"], api_id: "bench" },
    failed: () => ({ api_id: "bench", error: "Failed" }),
    connect: async (url, timeout) => {
      const { Client } = await import("plivo")
      const client = new Client("bench", token, { url: `${url}/v1/Account/bench`, timeout })
      return () => client.messages.create({ src: from, dst: to, text })
    }
  },

  telnyx: {
    path: "/messages",
    status: 200,
    accepted: { data: { id: "bench-1", record_type: "message", to: [{ status: "queued" }] } },
    failed: () => ({ errors: [{ code: "10007", title: "Failed", detail: "" }] }),
    connect: async (url, timeout) => {
      const { default: Telnyx } = await import("telnyx")
      const client = new Telnyx({ apiKey: token, baseURL: url, timeout })
      return () => client.messages.send({ to, from, text })
    }
  },

  twilio: {
    path: "/2010-04-01/Accounts/AC00000000000000000000000000000000/Messages.json",
    status: 201,
    accepted: { sid: "SM00", status: "queued", to, from, body: text },
    failed: (status) => ({ code: 20_000 + status, message: "Failed", status }),
    connect: async (url, timeout) => {
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
        httpClient: new LocalClient({ timeout })
      })
      return () => client.messages.create({ to, from, body: text })
    }
  }
}
