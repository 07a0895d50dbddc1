// Every limit of the HTTP layer. The rates come from the configuration; all other limits are fixed.

export interface ServerLimits {
  /** Refill rate of an API key's allowance, and of an address's allowance of failed authentications. */
  readonly requestsPerSecond: number
  /** Requests that may arrive at once. */
  readonly burst: number
  readonly bodyBytesMax?: number
  /** The size of a node's answer to a client's read. */
  readonly rpcAnswerBytesMax?: number
  readonly connectionTimeoutMs?: number
  /** How long a connection without a request stays open; absent: as long as Fastify has it. */
  readonly idleConnectionMs?: number
}

export const bodyBytesMaxDefault = 256 * 1024
/** The limit of a batch of sends: 8 KiB for each send of a full batch. */
export const batchBodyBytesMax = 4 * 1024 * 1024
/** The limit of a signer's settings and secrets: the largest is a private key of RSA. */
export const signerBodyBytesMax = 16 * 1024
/** The limit of a sign-in: an API key and its member. */
export const signInBodyBytesMax = 2_048
export const batchItemsMax = 500
/** Transactions that one request may release: all of them in one commit. */
export const releasesMax = 500
/** Nested arrays and objects in a body. */
export const bodyDepthMax = 32
/**
 * Opening brackets and commas in a body: those of 4 MiB of storage keys. Parsing and validation take time by their number: a
 * million empty lists took two seconds.
 */
export const bodyPartsMax = 65_536
/** Bodies from this size on are parsed one at a time for each key. */
export const largeBodyBytesMin = 64 * 1024
/** A body costs its key a further request for each of these. */
export const bytesOfARequest = 64 * 1024
/** Items of a batch that are parsed in one turn of the event loop: the addresses of an access list are hashed. */
export const itemsInATurn = 4
/** Numbers beyond 2^53 in a body. A full batch has half of them, if it writes every amount as a number. */
export const largeNumbersMax = 5_000
/** Request line and headers together, which also limits every path. */
export const headerBytesMax = 16 * 1024
/** The time in which the whole request has to arrive. */
export const requestTimeoutMs = 30_000
export const headersTimeoutMs = 15_000
/** How often the server checks the two limits above. */
export const slowClientsEveryMs = 5_000
/** Bytes of responses that one key has not read. A page of the largest transactions has 25 MiB, and holds three slices of it. */
export const unreadBytesMax = 32 * 1024 * 1024
/** Bytes of a page's payloads that are read and written at once; the last of them may be larger. */
export const pageSliceBytes = 256 * 1024
/** Smaller responses fit into the system's buffers. */
export const countedBytesMin = 16 * 1024
/** A response has this time to be read, and a millisecond more for so many bytes. Then its connection is closed. */
export const drainMs = 30_000
export const drainedBytesPerMs = 64
/** Connections that have shown no key: each holds up to 16 KiB of a head. */
export const unprovenConnectionsMax = 1_000
/** A silent connection is closed after this time, which is longer than the longest wait. */
export const connectionTimeoutMs = 90_000
/** `max_transaction_bytes` of a network limits what data and access list have together; these limit how many parts a list has. */
export const accessListEntriesMax = 256
export const accessListKeysMax = 1024
export const waitSecondsMax = 60
export const requestIdCharsMax = 128
/** Ids in the filter of a bulk cancellation. */
export const bulkIdsMax = 1_000
/** Tags in the filter of a bulk cancellation. */
export const bulkTagsMax = 16
/** Relayers that a bulk cancellation names. */
export const bulkRelayersMax = 1_000
export const idempotencyKeyCharsMax = 255
/** Open streams of events. They share one read of the outbox. */
export const eventStreamsMax = 256
export const eventStreamsPerKeyMax = 32
export const rpcAnswerBytesMaxDefault = 1024 * 1024
/** Reads of a node that one key has under way at once. */
export const rpcPerKeyMax = 4
/** The same of each other read that takes a node or many rows: of balances, of searches, and of previews of one transaction. */
export const costlyReadsPerKeyMax = 4
/** Previews of a whole queue that are under way at once, of a key and of all. Each may hold the largest payloads of its relayers. */
export const previewsPerKeyMax = 2
export const previewsMax = 4
/** Bulk cancellations with a filter that run at once for a key. The others wait: each looks at every row of its queues. */
export const filteredBulksPerKeyMax = 4
/** Longer pages wait for a place. */
export const freePageRowsMax = 100
export const longPagesPerKeyMax = 2
export const longPagesMax = 8
/** A page costs its key a further request for each of these. */
export const rowsOfARequest = 50
/** Cancellations that wait for their verdict. Each reads its transaction four times a second. */
export const waitsPerKeyMax = 64
/** Events that a stream reads at once, which limits its memory. */
export const eventsAtOnce = 50
/** Events that a stream looks at in one turn while its filter matches few. The streams of a process take turns. */
export const eventsSearchedAtOnce = 1_000
/** The pause after a turn: other requests have most of the time, however many streams search. */
export const eventsSearchBreathMs = 10
/** Interval of lines on a stream of positions, however many events there are. */
export const changesEveryMs = 500
/** Interval of lines on an idle stream; well below the limit of a silent connection. */
export const heartbeatMs = 15_000
/** How long a replica caches an API key, and so for how long it may miss a revocation by another replica. */
export const keyBelievedMs = 2_000
/** Cached API keys. */
export const keysHeldMax = 2_000
/** Precision of a key's last use. */
export const keyUseNotedEveryMs = 60_000
/** Members without effect that the log has named, each for one API key. */
export const loggedMembersMax = 2_000
export const apiKeyNameCharsMax = 100
export const apiKeyRelayersMax = 256
/** Kinds of refusals in one flush of the audit log: this many with an API key, and this many without. */
export const auditRefusalKindsMax = 50
export const auditRefusalsSoonMs = 1_000
export const auditRefusalsEveryMs = 60_000
/** Nonces in one answer, and those that it shows before the lowest open one. */
export const noncesMax = 100
export const noncesBefore = 8
export const dailySpendDaysMax = 400
/** Steps of a series of figures. */
export const seriesPointsMax = 100
/** A search looks at the open transactions of so many relayers. */
export const searchedRelayersMax = 500
export const perPageDefault = 10
/** A page is written in slices, so its length costs time and little memory. */
export const perPageMax = 1_000
export const pageMax = 1_000_000
/** Rows of transactions that page numbers reach. `before` reaches all. */
export const listedRowsMax = 100_000
/** How often replicas exchange their use of allowances. */
export const rateSharedEveryMs = 200
/** Longer values are cut in error messages. */
export const shownCharsMax = 40
/** How long readiness is cached: the check costs a durable write. */
export const readinessBelievedMs = 500
/** A prober needs an answer sooner than other requesters. */
export const readinessPatienceMs = 3_000
/** Retry-After for a full queue, which empties as blocks are mined. */
export const queueFullRetryAfterSeconds = 5
/** The refused transactions of the last hour get fewer only slowly. */
export const refusedRetryAfterSeconds = 60
/** Retry-After for what passes soon: errors of the service's own side, and reads under way. */
export const unavailableRetryAfterSeconds = 1

/** Limits of entities from the API, the same as in the configuration file; see config/limits.ts. */
export const nameCharsMax = 256
export const urlCharsMax = 2_048
export const signingKeyCharsMin = 32
export const signingKeyCharsMax = 1_024
export const requiredConfirmationsMax = 10_000
export const averageBlockTimeMsMax = 3_600_000

/** The length of a note that an operator leaves for others. */
export const noteCharsMax = 1_000
