// The messages between the bench and its load process.

export interface Target {
  readonly port: number
  readonly apiKey: string
  readonly relayerId: string
}

export type Job =
  /** Sends `requests` transactions, and keeps their ids. */
  | { readonly kind: 'post'; readonly target: Target; readonly connections: number; readonly requests: number }
  /** Cancels all that were kept, oldest last: the newest are certainly still queued. */
  | { readonly kind: 'delete'; readonly target: Target; readonly connections: number; readonly requests: number }
  /** One DELETE of everything pending. */
  | { readonly kind: 'bulk'; readonly target: Target }

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time that the load itself took, in seconds. */
  readonly loadCpuSeconds: number
  /** Of a bulk: how many transactions it canceled. */
  readonly canceled: number
}
