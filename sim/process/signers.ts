// Keys that are in a service: it answers late, throttles, hangs, fails, refuses, or signs with another key.
import { hexToBytes } from 'viem'
import type { Clock } from '../../src/ops/clock.ts'
import type { Logger } from '../../src/ops/logger.ts'
import { openCurve } from '../../src/signers/curve.ts'
import { KeyServiceError } from '../../src/signers/key-service.ts'
import type { OpenKeyService } from '../../src/signers/open-signers.ts'
import type { Dice } from '../../tooling/dice.ts'
import { memoryKeyService } from '../../tooling/memory-key-service.ts'
import type { Timeline } from '../timeline.ts'
import { type CustodyWorld, withCustody } from './custody.ts'
import { type Instance, leave, reach } from './instance.ts'

export const signerBehaviors = ['fine', 'slow', 'throttles', 'hangs', 'fails', 'refuses', 'wrongKey'] as const
/** How it answers in a long outage. */
export const outageBehaviors = ['hangs', 'fails', 'refuses', 'wrongKey'] as const
export type SignerBehavior = (typeof signerBehaviors)[number]

export interface SignerWorld {
  readonly dice: Dice
  readonly timeline: Timeline
  readonly behavior: () => SignerBehavior
  readonly keyOf: (signerId: string) => string
  /** It makes one signature at a time, each in so many milliseconds. Absent: it makes several at a time. */
  readonly signatureMs: number | undefined
  /** Absent: nothing but its behavior delays the service. */
  readonly custody: CustodyWorld | undefined
}

const usualQuota = { perSecond: 50, concurrency: 10 }

/** Key services of one process. If it dies, it loses the signatures under way. */
export function simKeyServices(world: SignerWorld, instance: Instance, log: Logger, clock: Clock): OpenKeyService {
  return async ({ id }) => {
    const key = hexToBytes(world.keyOf(id) as `0x${string}`)
    const curve = await openCurve(log)
    const { signatureMs } = world
    const quota = signatureMs === undefined ? usualQuota : { perSecond: 1_000 / signatureMs, concurrency: 1 }
    const service = memoryKeyService(key, { curve, quota, quotaDomain: 'sim', canProbe: false })
    service.beforeSigning = () =>
      new Promise((resolve, reject) =>
        leave(instance, () => {
          const behavior = world.behavior()
          const answer = () => {
            service.signsWith = behavior === 'wrongKey' ? key.map((byte) => byte ^ 1) : key
            resolve()
          }
          const refuse = (error: KeyServiceError) => () => reject(error)
          const drawn = outcome(behavior, world.dice, answer, refuse)
          const { run } = drawn
          const ms = behavior === 'fine' && signatureMs !== undefined ? signatureMs : drawn.ms
          if (ms !== undefined) world.timeline.after(ms, () => reach(instance, run))
        }),
      )
    return world.custody ? withCustody(service, world.custody, instance, clock) : service
  }
}

/** How one call ends, and when; without `ms` never. */
function outcome(
  behavior: SignerBehavior,
  dice: Dice,
  answer: () => void,
  refuse: (error: KeyServiceError) => () => void,
): { readonly ms?: number; readonly run: () => void } {
  const error = (kind: KeyServiceError['kind'], code: string) =>
    refuse(new KeyServiceError('the service refuses', { kind, code }))
  switch (behavior) {
    case 'fine':
    case 'wrongKey':
      return { ms: dice.between(5, 50), run: answer }
    case 'slow':
      return { ms: dice.between(300, 2_500), run: answer }
    case 'throttles':
      return { ms: dice.between(5, 50), run: dice.chance(0.7) ? error('throttled', 'Throttling') : answer }
    case 'hangs':
      return { run: answer }
    case 'fails':
      return { ms: dice.between(5, 500), run: error('transient', 'Internal') }
    case 'refuses':
      return { ms: dice.between(5, 50), run: error('permanent', 'AccessDenied') }
  }
}
