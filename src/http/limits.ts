// Every bound of the HTTP layer. The rates come from the configuration; the rest is the same everywhere.

export interface ServerLimits {
  /** Refill of an API key's allowance, and of an address's allowance of failed authentications. */
  readonly requestsPerSecond: number
  /** Requests that may come at once. */
  readonly burst: number
  readonly bodyBytesMax?: number
}

export const bodyBytesMaxDefault = 256 * 1024
/** Of many sends at once: 8 KiB for each, if there are as many as may be. */
export const batchBodyBytesMax = 4 * 1024 * 1024
export const batchItemsMax = 500
/** Levels of arrays and objects in a body. */
export const bodyDepthMax = 32
/** Request line and headers together; nothing in a path can be longer. */
export const headerBytesMax = 16 * 1024
/** For the whole request to arrive. */
export const requestTimeoutMs = 30_000
export const headersTimeoutMs = 15_000
/** How often it is looked whether these two have passed. */
export const slowClientsEveryMs = 5_000
/** A silent connection; longer than the longest wait. */
export const connectionTimeoutMs = 90_000
/** A pool takes 128 KiB of a transaction (geth `txMaxSize`); these leave most of it to the data. */
export const accessListEntriesMax = 256
export const accessListKeysMax = 1024
export const waitSecondsMax = 60
export const requestIdCharsMax = 128
export const idempotencyKeyCharsMax = 255
/** Streams of events open at once. What they wait for is looked up once for all of them. */
export const eventStreamsMax = 256
/** Events that a stream reads at once, and so the most that it holds in memory. */
export const eventsAtOnce = 50
/** A line that says that the stream still stands; well below the time that a silent connection is given. */
export const heartbeatMs = 15_000
/** How long the verdict on an API key is believed: another process's revocation takes no longer to be heard. */
export const keyBelievedMs = 2_000
/** Verdicts held in memory. */
export const keysHeldMax = 2_000
/** The last use of a key is known to this. */
export const keyUseNotedEveryMs = 60_000
export const apiKeyNameCharsMax = 100
export const apiKeyRelayersMax = 256
/** Kinds of refusals that the audit log tells apart in a flush: so many without a key, and so many with one. */
export const auditRefusalKindsMax = 50
export const auditRefusalsSoonMs = 1_000
export const auditRefusalsEveryMs = 60_000
export const perPageDefault = 10
export const perPageMax = 100
export const pageMax = 1_000_000
/** How often replicas tell each other what was used up of allowances. */
export const rateSharedEveryMs = 200
/** A value in an error message is cut here. */
export const shownCharsMax = 40
/** How long an answer of the readiness check is believed: it costs a durable write. */
export const readinessBelievedMs = 500
/** The requester decides by the answer, and does not wait as long as a request may. */
export const readinessPatienceMs = 3_000
/** When to come back after a full queue; it empties with the chain's blocks. */
export const queueFullRetryAfterSeconds = 5

/** What is configured through the API is bounded as in the configuration file, see config/limits.ts. */
export const nameCharsMax = 256
export const urlCharsMax = 2_048
export const signingKeyCharsMin = 32
export const signingKeyCharsMax = 1_024
export const requiredConfirmationsMax = 10_000
export const averageBlockTimeMsMax = 3_600_000
