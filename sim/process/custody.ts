// Key services that work and are slow: their tokens come late or expire during calls, a session stays dead until its library is
// closed, and activities wait for the approval of people.
import type { Hash } from '../../src/domain/ids.ts'
import type { Clock } from '../../src/ops/clock.ts'
import { withFreshCredentials } from '../../src/signers/exchange.ts'
import { keepToken } from '../../src/signers/keep-token.ts'
import { type KeyService, KeyServiceError } from '../../src/signers/key-service.ts'
import type { Dice } from '../../tooling/dice.ts'
import type { Timeline } from '../timeline.ts'
import { type Instance, leave, reach } from './instance.ts'

export const custodyKinds = ['slowTokens', 'expiry', 'deadSession', 'consensus'] as const
export type CustodyKind = (typeof custodyKinds)[number]

export interface CustodyWorld {
  readonly kind: CustodyKind
  readonly dice: Dice
  readonly timeline: Timeline
  /** The faults have stopped: nothing is delayed any more. */
  readonly isCalm: () => boolean
  /** When people approve the activity of a digest: the service remembers it across restarts of its clients. */
  readonly approvals: Map<Hash, number>
}

/** Adds the delays to the key service of one process. */
export function withCustody(service: KeyService, world: CustodyWorld, instance: Instance, clock: Clock): KeyService {
  const later = (ms: number) =>
    new Promise<void>((resolve) => leave(instance, () => world.timeline.after(ms, () => reach(instance, resolve))))
  switch (world.kind) {
    case 'slowTokens':
      return withSlowTokens(service, world, clock, later)
    case 'expiry':
      return withExpiry(service, world, clock, later)
    case 'deadSession':
      return withDeadSession(service, world, later)
    case 'consensus':
      return withConsensus(service, world, later)
  }
}

type Later = (ms: number) => Promise<void>

function failure(kind: KeyServiceError['kind'], code: string): KeyServiceError {
  return new KeyServiceError('the service refuses', { kind, code })
}

function withSlowTokens(service: KeyService, { dice, isCalm }: CustodyWorld, clock: Clock, later: Later): KeyService {
  const tokens = keepToken(clock, async () => {
    await later(isCalm() ? 20 : dice.between(1_500, 6_000))
    return { token: 'token', lifeMs: isCalm() ? 3_600_000 : dice.between(5_000, 60_000) }
  })
  return { ...service, ready: async (signal) => void (await tokens.token(signal)) }
}

/** The service ends a token long before the time that it named, while calls with it are under way. */
function withExpiry(
  service: KeyService,
  { dice, isCalm, timeline }: CustodyWorld,
  clock: Clock,
  later: Later,
): KeyService {
  const valid = new Set<number>()
  let issued = 0
  const tokens = keepToken(clock, async () => {
    await later(isCalm() ? 20 : dice.between(20, 4_000))
    issued += 1
    const token = issued
    valid.add(token)
    if (!isCalm()) timeline.after(dice.between(200, 20_000), () => void valid.delete(token))
    return { token, lifeMs: 3_600_000 }
  })
  return {
    ...service,
    ready: async (signal) => void (await tokens.token(signal)),
    awaitsToken: tokens.isAwaited,
    sign(request, signal) {
      let token: number | undefined
      return withFreshCredentials(
        async () => {
          if (token !== undefined) tokens.refuse(token)
          token = await tokens.token(signal)
          const signature = await service.sign(request, signal)
          if (!valid.has(token)) throw failure('permanent', 'ExpiredToken')
          return signature
        },
        ({ code }) => code === 'ExpiredToken',
      )
    },
  }
}

/** The first failure ends the login, the second the library. */
function withDeadSession(service: KeyService, { dice, isCalm }: CustodyWorld, later: Later): KeyService {
  let failuresLeft = 0
  return {
    ...service,
    async sign(request, signal) {
      if (failuresLeft === 0 && !isCalm() && dice.chance(0.05)) failuresLeft = dice.pick([1, 2, 2, 6])
      if (failuresLeft === 0) return service.sign(request, signal)
      failuresLeft -= 1
      await later(dice.between(5, 700))
      throw failure('transient', 'CKR_SESSION_HANDLE_INVALID')
    },
  }
}

function withConsensus(
  service: KeyService,
  { dice, isCalm, timeline, approvals }: CustodyWorld,
  later: Later,
): KeyService {
  return {
    ...service,
    async sign(request, signal) {
      const { digest } = request
      const isNew = !approvals.has(digest)
      if (isNew) approvals.set(digest, dice.chance(0.1) ? timeline.now() + dice.between(2_000, 120_000) : 0)
      if (isCalm() || (approvals.get(digest) ?? 0) <= timeline.now()) return service.sign(request, signal)
      await later(dice.between(20, 100))
      throw isNew && dice.chance(0.5)
        ? failure('pending', 'ACTIVITY_STATUS_PENDING')
        : failure('approval', 'ACTIVITY_STATUS_CONSENSUS_NEEDED')
    },
  }
}
