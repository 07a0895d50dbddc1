// Request rates: an allowance for each API key, and for each address one of failed authentications and one of requests
// that need no key.
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { RescindError } from '../../domain/errors.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Hints } from '../../store/hints.ts'
import { bytesOfARequest, perPageMax, rateSharedEveryMs, rowsOfARequest, type ServerLimits } from '../limits.ts'

/** The state of an allowance, for the headers of draft-ietf-httpapi-ratelimit-headers. */
interface Allowance {
  readonly policy: string
  readonly remaining: number
  readonly resetSeconds: number
}

/** Thrown when an allowance is used up. */
export class RateLimited extends RescindError {
  readonly allowance: Allowance

  constructor(allowance: Allowance) {
    super('RATE_LIMITED', 'Too Many Requests')
    this.allowance = allowance
  }
}

export interface RateLimits {
  /** Takes one of the key's requests, or as many as `points` says, and at most a full allowance. Throws RateLimited. */
  checkKeyLimit(keyId: string, points?: number): Promise<Allowance>
  /** Throws RateLimited for an address that failed to authenticate too often. */
  checkAddressLimit(address: string): Promise<void>
  /** Takes one of the address's requests that need no key. Throws RateLimited. */
  checkOpenLimit(address: string): Promise<void>
  /** Counts a failed authentication. */
  countFailure(address: string): Promise<void>
  /** The use on this replica since the last call, by the names of the allowances; empty at first. */
  spent(): ReadonlyMap<string, number>
  /** Counts the use on other replicas: whole amounts within the burst, and no others. */
  take(amounts: ReadonlyMap<string, number>): Promise<void>
}

/** The cost of a body beside its request, in requests. */
export function bodyPoints(bytes: number): number {
  return Math.floor(bytes / bytesOfARequest)
}

/** The cost of a request for a page, in requests. `perPage`: as the client wrote it. */
export function pagePoints(perPage: unknown): number {
  const rows = Number(perPage ?? 0)
  return rows > 0 ? Math.ceil(Math.min(rows, perPageMax) / rowsOfARequest) : 1
}

export function rateLimits({ requestsPerSecond, burst }: ServerLimits): RateLimits {
  const windowSeconds = burst / requestsPerSecond
  const policy = `q=${burst};w=${Math.max(1, Math.ceil(windowSeconds))}`
  const limiter = (keyPrefix: string) => new RateLimiterMemory({ keyPrefix, points: burst, duration: windowSeconds })
  const keys = limiter('key')
  const failures = limiter('address')
  // Not shared among replicas: each has its own memory to protect.
  const open = limiter('open')
  /** The use since the last call of `spent`; absent until the first call. */
  let used: Map<string, number> | undefined

  function count(name: string, points = 1): void {
    used?.set(name, (used.get(name) ?? 0) + points)
  }

  const allowanceOf = (name: string, { remainingPoints, msBeforeNext }: RateLimiterRes): Allowance => ({
    policy: `"${name}";${policy}`,
    remaining: Math.max(0, remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  })

  async function consume(from: RateLimiterMemory, whose: string, name: string, points = 1): Promise<RateLimiterRes> {
    try {
      return await from.consume(whose, points)
    } catch (refused) {
      throw refused instanceof RateLimiterRes ? new RateLimited(allowanceOf(name, refused)) : refused
    }
  }

  return {
    async checkKeyLimit(keyId, wanted = 1) {
      // A body that costs more than a full allowance still passes: alone.
      const points = Math.min(wanted, burst)
      const left = await consume(keys, keyId, 'key', points)
      count(`key:${keyId}`, points)
      return allowanceOf('key', left)
    },
    async checkAddressLimit(address) {
      const failed = await failures.get(address)
      if (failed && failed.consumedPoints >= burst) throw new RateLimited(allowanceOf('address', failed))
    },
    async checkOpenLimit(address) {
      await consume(open, address, 'address')
    },
    async countFailure(address) {
      await failures.penalty(address)
      count(`address:${address}`)
    },
    spent() {
      const amounts = used ?? new Map<string, number>()
      used = new Map()
      // In a window shorter than the interval of the messages, more may be used than the burst. More takes no more away.
      return new Map([...amounts].map(([name, amount]) => [name, Math.min(amount, burst)]))
    },
    async take(amounts) {
      for (const [name, amount] of amounts) {
        // A negative amount would lift the limit.
        if (!Number.isSafeInteger(amount) || amount < 1 || amount > burst) continue
        const [, kind, whose] = /^(key|address):(.*)$/.exec(name) ?? []
        if (whose !== undefined) await (kind === 'key' ? keys : failures).penalty(whose, amount)
      }
    },
  }
}

// Shares an allowance across replicas: each regularly sends its own use to the others, and counts theirs.
interface ShareRates {
  readonly rates: Pick<RateLimits, 'spent' | 'take'>
  readonly hints: Pick<Hints, 'notify' | 'listen'>
  readonly clock: Clock
  /** The name of this replica, unique among replicas. */
  readonly self: string
}

/** A lost message gives a key more than its share, and never less. Disposing ends the exchange. */
export function shareRates({ rates, hints, clock, self }: ShareRates): AsyncDisposable {
  const ended = new AbortController()

  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(rateSharedEveryMs, ended.signal)
      const amounts = rates.spent()
      if (amounts.size > 0) hints.notify({ kind: 'spent', by: self, amounts })
    }
  }

  hints.listen((hint) => {
    if (hint.kind === 'spent' && hint.by !== self) void rates.take(hint.amounts)
  }, ended.signal)
  // Starts counting.
  rates.spent()
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      ended.abort()
      await running
    },
  }
}
