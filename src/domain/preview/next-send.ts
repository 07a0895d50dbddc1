// The conditions that would hold up the next send of a relayer without open transactions: an operator reads them before a send waits.
import type { Work } from '../decide/plan/work.ts'
import { assignNonces } from '../decide/queue/assign-nonces.ts'
import { transferGas } from '../gas-figures.ts'
import type { TransactionId } from '../ids.ts'
import { noOpGasLimit } from '../no-op.ts'
import type { Observation } from '../observation.ts'
import type { NetworkPolicy } from '../relayer.ts'
import type { Payload } from '../transaction.ts'
import type { Gas, TimestampMs } from '../units.ts'
import type { Reason } from '../wait-facts.ts'

interface NextSend {
  readonly id: TransactionId
  readonly now: TimestampMs
}

/** The work with a send of nothing to the account itself, at speed `average`: the least that any send needs. It is never stored. */
export function withNextSend(work: Work, { id, now }: NextSend, gasLimit: Gas = transferGas): Work {
  const { id: relayerId, address } = work.relayer
  const payload: Payload = {
    ...{ from: address, to: address, value: 0n, data: '0x', gasLimit },
    pricing: { kind: 'speed', speed: 'average' },
  }
  const sequence = work.lastSequence + 1
  const lifecycle = { phase: 'queued' } as const
  const queued = [
    { id, relayerId, sequence, version: 0, createdAt: now, origin: 'client', payload, lifecycle } as const,
  ]
  return { ...work, queued }
}

/** Why the next send would wait, by the rules of a real send. `observation`: that of `withNextSend`. */
export function reasonsAgainstNextSend(
  work: Work,
  observation: Observation,
  policy: NetworkPolicy,
  next: NextSend,
): Reason[] {
  const gasLimit = noOpGasLimit(observation.market, policy.profile)
  const { decisions } = assignNonces({ work: withNextSend(work, next, gasLimit), observation, policy, now: next.now })
  return decisions.flatMap((each) => {
    if (each.do !== 'explain') return []
    const { do: _, transaction: __, ...reason } = each
    return [reason]
  })
}
