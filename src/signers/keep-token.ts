// A token that ends, shared by all calls of a signer: renewed once for all of them, ahead of its end, with a limit of its own.
import { readFile } from 'node:fs/promises'
import type { Clock } from '../ops/clock.ts'
import { memberOf } from '../ops/member.ts'
import { late, within } from '../ops/within.ts'
import { asPending } from './exchange.ts'
import { KeyServiceError } from './key-service.ts'

interface IssuedToken<T> {
  readonly token: T
  /** How long it is valid from now on. 0 for one that the issuer itself keeps: each use requests it. Infinite for one without an end. */
  readonly lifeMs: number
}

export interface TokenKeeper<T> {
  /** The token, from memory while it is valid. An aborted caller stops waiting, and the renewal goes on. Throws KeyServiceError. */
  token(signal: AbortSignal): Promise<T>
  /** The service refused this token. Returns false if another caller has replaced it already. */
  refuse(token: T): boolean
  /** Whether no token is valid, and a renewal is under way. */
  isAwaited(): boolean
  /** The time until the token ends; undefined without one that ends. */
  endsInMs(): number | undefined
}

/** Metadata services and login endpoints take 2 to 3 seconds at times. */
const renewalMs = 15_000
/** The renewal begins so long before the end, and at half of the token's life at the latest. */
const aheadMs = 5 * 60_000
/** A service refuses a token that ends during the request. */
const spareMs = 15_000

export function keepToken<T>(clock: Clock, issue: (over: AbortSignal) => Promise<IssuedToken<T>>): TokenKeeper<T> {
  let known:
    | { readonly token: T; readonly renewsAt: number; readonly endsAt: number; readonly expiresAt: number }
    | undefined
  let renewing: Promise<T> | undefined

  async function renew(): Promise<T> {
    const issued = await within(clock, renewalMs, (over) => firstOf(clock, issue, over))
    if (issued === late) {
      throw new KeyServiceError(`no token within ${renewalMs / 1000} s`, { kind: 'transient', code: 'TOKEN_TIMEOUT' })
    }
    const { token, lifeMs } = issued
    const endsAt = clock.elapsed() + lifeMs - Math.min(spareMs, lifeMs / 10)
    const expiresAt = clock.elapsed() + lifeMs
    known = { token, endsAt, expiresAt, renewsAt: clock.elapsed() + lifeMs - Math.min(aheadMs, lifeMs / 2) }
    return token
  }

  /** The renewal that is under way, or a new one. */
  function renewal(): Promise<T> {
    renewing ??= renew().finally(() => {
      renewing = undefined
    })
    return renewing
  }

  return {
    async token(signal) {
      const now = clock.elapsed()
      if (known && now < known.renewsAt) return known.token
      const renewed = renewal()
      if (!known || now >= known.endsAt) return unlessAborted(renewed, signal)
      // The next caller reports the failure, once this token has ended.
      renewed.catch(() => undefined)
      return known.token
    },
    isAwaited: () => renewing !== undefined && !(known && clock.elapsed() < known.endsAt),
    endsInMs() {
      const ms = known ? known.expiresAt - clock.elapsed() : 0
      return ms > 0 && Number.isFinite(ms) ? ms : undefined
    },
    refuse(token) {
      if (known?.token !== token) return false
      known = undefined
      return true
    },
  }
}

/** Kubernetes renews the file, so each login reads it. */
export async function readTokenFile(path: string, what: string, fix: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    const message = `the ${what} can't be read (${String(memberOf(error, 'code'))}); ${fix}`
    throw new KeyServiceError(message, { kind: 'credentials', code: 'TOKEN_FILE' })
  }
}

/** Longer than services that work take as a rule. */
const againMs = 2_500

/**
 * The first success. While no answer comes, the request is repeated: one that hangs may hang on after the recovery of its service.
 * Rejects when no request is under way any more.
 */
export function firstOf<T>(clock: Clock, request: (over: AbortSignal) => Promise<T>, over: AbortSignal): Promise<T> {
  const settled = new AbortController()
  const ended = AbortSignal.any([over, settled.signal])
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let underWay = 0
  const begin = () => {
    underWay += 1
    request(ended).then(resolve, (error: unknown) => {
      underWay -= 1
      if (underWay === 0) reject(error)
    })
  }
  const repeat = async () => {
    for (begin(); ; begin()) {
      await clock.sleep(againMs, ended)
      if (ended.aborted) return
    }
  }
  void repeat()
  const end = () => settled.abort('nobody waits any more')
  promise.then(end, end)
  return promise
}

function tokenPending(): KeyServiceError {
  return asPending('its token is still being renewed', 'TOKEN_PENDING')
}

/** Work that goes on after its caller has stopped waiting for it. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, ended = tokenPending): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(ended())
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  work.catch(() => undefined)
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}
