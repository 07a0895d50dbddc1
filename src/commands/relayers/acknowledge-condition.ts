// An operator acknowledges a condition of a relayer, with a note, or withdraws that (PUT and DELETE). It lapses with the condition. An
// acknowledgment of a foreign use ends that condition, so that it can't be withdrawn.
import { allowed, type Requester } from '../../domain/audit.ts'
import type { HeldCondition } from '../../domain/condition.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import { foreignUse, withForeignUse } from '../../domain/foreign-use.ts'
import type { RelayerId } from '../../domain/ids.ts'
import { type Acknowledgment, type ShownHeld, withSentence } from '../../domain/owner-report.ts'
import type { Session } from '../../store/store.ts'
import type { ManagementContext } from '../management.ts'

type Context = Pick<ManagementContext, 'store' | 'clock'>

interface Subject {
  readonly relayerId: RelayerId
  readonly condition: HeldCondition
}

/** Replaces an earlier one. Throws RELAYER_NOT_FOUND, CONDITION_NOT_FOUND. */
export async function acknowledgeCondition(
  { store, clock }: Context,
  { relayerId, condition }: Subject,
  note: string | undefined,
  requester: Requester,
): Promise<ShownHeld & { readonly acknowledged: Acknowledgment }> {
  const at = clock.now()
  const acknowledged = { at, by: requester.keyId, ...(note !== undefined && { note }) }
  return store.commit(async (session) => {
    const held = await heldCondition(session, relayerId, condition)
    if (condition === foreignUse) await session.acknowledgeForeignUses(relayerId, acknowledged)
    else await session.acknowledge(relayerId, held, acknowledged)
    session.recordAudit(allowed(requester, at, { relayerId, subjectId: condition }))
    return { ...held, acknowledged }
  })
}

/** Throws RELAYER_NOT_FOUND, CONDITION_NOT_FOUND. */
export async function withdrawAcknowledgment(
  { store, clock }: Context,
  { relayerId, condition }: Subject,
  requester: Requester,
): Promise<ShownHeld> {
  return store.commit(async (session) => {
    const { acknowledged: _, ...held } = await heldCondition(session, relayerId, condition)
    await session.withdrawAcknowledgment(relayerId, condition)
    session.recordAudit(allowed(requester, clock.now(), { relayerId, subjectId: condition }))
    return held
  })
}

async function heldCondition(session: Session, relayerId: RelayerId, condition: HeldCondition): Promise<ShownHeld> {
  if (!(await session.relayer(relayerId))) throw relayerNotFound(relayerId)
  const [report, uses] = [await session.ownerReport(relayerId), await session.openForeignUses(relayerId)]
  const conditions = withForeignUse((report?.conditions ?? []).map(withSentence), uses)
  const held = conditions.find((each) => each.condition === condition)
  if (held) return held
  const others = conditions.map((each) => each.condition).join(', ')
  const all = others === '' ? 'it has none' : `it has ${others}`
  throw new RescindError(
    'CONDITION_NOT_FOUND',
    `relayer "${relayerId}" does not have the condition ${condition}: ${all}`,
  )
}
