// Calls a key service until it signs: within its quota, with retries until a deadline, behind a circuit breaker. A
// signature is used only if it is of the pinned key.
import type { Hash, Hex } from '../../domain/ids.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { KeyCallResult, SignerMetrics } from '../../ops/metrics.ts'
import type { Random } from '../../ops/random.ts'
import { late, within } from '../../ops/within.ts'
import type { Curve, CurveSignature } from '../curve.ts'
import { type KeyService, KeyServiceError } from '../key-service.ts'
import type { SigningRequest } from '../signer.ts'
import type { KeyGuard } from './guard-key.ts'
import { asKeyServiceError, lasts, permanent, transient, unavailable } from './key-errors.ts'
import type { PinnedKey } from './pin-key.ts'
import type { QuotaQueue } from './quota-queue.ts'
import { verifySignature } from './verify-signature.ts'

interface KeyCallerOptions {
  readonly id: string
  readonly service: KeyService
  readonly pin: () => Promise<PinnedKey>
  readonly guard: KeyGuard
  readonly queue: QuotaQueue
  readonly curve: Curve
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: SignerMetrics
}

interface Preimage {
  /** keccak-256 of `preimage`. */
  readonly digest: Hash
  readonly preimage: Hex
}

interface KeySigned {
  readonly signature: CurveSignature
  readonly keyVersion: string
}

const tryMs = 2_000
const firstPauseMs = 100
const wrongKey = 'WrongKey'

/** The result throws SignerUnavailable. */
export function keyCaller(options: KeyCallerOptions) {
  const { id, guard, queue, clock, random, log, metrics } = options
  metrics.quota(id, queue.rate())

  /** One call within the quota: its result counts for the metrics and for the breaker. */
  function call(preimage: Preimage, { priority }: SigningRequest, untilMs: number, isTrial: boolean) {
    return queue.run(priority, untilMs, async () => {
      // It may have opened while the call waited for the quota.
      guard.recheck(isTrial)
      const begunMs = clock.elapsed()
      const count = (result: KeyCallResult) => metrics.called(id, result, clock.elapsed() - begunMs)
      try {
        const signed = await oneTry(options, preimage, untilMs)
        count('signed')
        guard.signed()
        return signed
      } catch (cause) {
        const error = asKeyServiceError(cause)
        count(error.code === wrongKey ? 'wrong' : error.kind === 'credentials' ? 'permanent' : error.kind)
        if (isFailure(error)) guard.failed(error, clock.elapsed() - begunMs)
        if (error.clockAheadMs !== undefined) {
          const facts = { signer: id, clock_ahead_ms: error.clockAheadMs }
          log.warn(facts, "this machine's clock differs from the key service's; correct it")
        }
        throw error
      } finally {
        metrics.quota(id, queue.rate())
      }
    })
  }

  return async (preimage: Preimage, request: SigningRequest): Promise<KeySigned> => {
    const begunMs = clock.elapsed()
    const untilMs = begunMs + Math.max(0, request.deadline - clock.now())
    for (let tries = 0; ; tries += 1) {
      try {
        const signed = await guard.through(untilMs, (isTrial) => call(preimage, request, untilMs, isTrial))
        metrics.signed(id, request.priority, clock.elapsed() - begunMs)
        return signed
      } catch (cause) {
        const error = asKeyServiceError(cause)
        const pauseMs = pauseAfter(tries, random)
        const isOver = clock.elapsed() + pauseMs >= untilMs
        const isLasting = lasts(error) || error.kind === 'approval'
        if (isLasting || guard.isOpen() || isOver) throw unavailable(id, error)
        await clock.sleep(pauseMs)
      }
    }
  }
}

async function oneTry(
  { id, service, pin, curve, clock, log }: KeyCallerOptions,
  preimage: Preimage,
  untilMs: number,
): Promise<KeySigned> {
  const { publicKey, keyVersion } = await pin()
  await readied(service, clock, untilMs)
  const limitMs = Math.min(tryMs, Math.max(0, untilMs - clock.elapsed()))
  const answered = await within(clock, limitMs, (over) => service.sign(preimage, over))
  if (answered === late) {
    if (service.awaitsToken?.()) throw tokenPending()
    throw transient('Timeout', 'the key service did not answer in time')
  }
  const { digest } = preimage
  const { requestId } = answered
  const signature = await verifySignature(curve, digest, answered, publicKey)
  if (!signature) {
    const facts = { signer: id, code: wrongKey, key_version: keyVersion, request_id: requestId }
    log.error(facts, 'the key service returned a signature that is not of the pinned key; it is not used')
    throw permanent(wrongKey, 'its signature is not of the pinned key')
  }
  // An operator compares it with the provider's own log.
  log.info({ signer: id, key_version: keyVersion, digest, request_id: requestId }, 'the key service signed')
  return { signature, keyVersion }
}

/** Waits until the caller's deadline at most. The renewal of a token has a limit of its own, and goes on. */
async function readied(service: KeyService, clock: Clock, untilMs: number): Promise<void> {
  if (!service.ready) return
  const readying = service.ready.bind(service)
  const ready = await within(clock, Math.max(0, untilMs - clock.elapsed()), readying)
  if (ready === late) throw tokenPending()
}

function tokenPending(): KeyServiceError {
  return new KeyServiceError('its token did not come in time', { kind: 'pending', code: 'TOKEN_PENDING' })
}

/** Otherwise the key service works: it limits calls, is still at work, or wants a person's approval of this one signature. */
function isFailure(error: KeyServiceError): boolean {
  return error.kind === 'transient' || lasts(error)
}

/** Doubled with each try, and up to half as long again, so that callers do not come back together. */
function pauseAfter(tries: number, random: Random): number {
  const [byte = 0] = random.bytes(1)
  return firstPauseMs * 2 ** Math.min(tries, 4) * (1 + byte / 510)
}
