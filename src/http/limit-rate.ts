// Request rates: an allowance of each API key, and one of failed authentications of each address.
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { RescindError } from '../domain/errors.ts'
import type { ServerLimits } from './limits.ts'

/** Where an allowance stands, for the headers of draft-ietf-httpapi-ratelimit-headers. */
export interface Allowance {
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
  /** Takes one of the key's requests. Throws RateLimited. */
  spend(keyId: string): Promise<Allowance>
  /** Throws RateLimited for an address that failed to authenticate too often. */
  hear(address: string): Promise<void>
  /** Counts a failed authentication. */
  fail(address: string): Promise<void>
}

export function rateLimits({ requestsPerSecond, burst }: ServerLimits): RateLimits {
  const windowSeconds = burst / requestsPerSecond
  const policy = `q=${burst};w=${Math.max(1, Math.ceil(windowSeconds))}`
  const keys = new RateLimiterMemory({ keyPrefix: 'key', points: burst, duration: windowSeconds })
  const failures = new RateLimiterMemory({ keyPrefix: 'address', points: burst, duration: windowSeconds })

  const allowanceOf = (name: string, { remainingPoints, msBeforeNext }: RateLimiterRes): Allowance => ({
    policy: `"${name}";${policy}`,
    remaining: Math.max(0, remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  })

  return {
    async spend(keyId) {
      try {
        return allowanceOf('key', await keys.consume(keyId))
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused
        throw new RateLimited(allowanceOf('key', refused))
      }
    },
    async hear(address) {
      const failed = await failures.get(address)
      if (failed && failed.consumedPoints >= burst) throw new RateLimited(allowanceOf('address', failed))
    },
    async fail(address) {
      await failures.penalty(address)
    },
  }
}
