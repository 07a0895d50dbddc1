// The marks of a transaction's row, from one version to the next.
import { brokenContract } from '../chain/failing-estimates.ts'
import type { Row } from '../check/row.ts'
import type { Mark } from './marks.ts'

export interface RowContext {
  readonly nodes: number
  readonly hasLiar: boolean
  readonly wasRestored: boolean
  readonly isAnyGivenUp: boolean
  /** What took the nonce last, before a reorganization took it back. */
  readonly lastWinner: string | undefined
}

export function isRacing({ open, phase, canceled_at: canceledAt }: Row): boolean {
  return open === 1 && phase === 'inFlight' && canceledAt !== null
}

export function marksOfRow(row: Row, before: Row | undefined, context: RowContext): readonly Mark[] {
  return [
    ...(row.wait_condition !== null && row.wait_condition !== before?.wait_condition
      ? [`waits-${row.wait_condition}` as const]
      : []),
    ...(before?.open !== 0 && row.open === 0 ? marksOfEnd(row, context) : []),
    ...(before ? marksOfChange(row, before) : []),
    ...marksOfInclusion(row, before, context),
    ...(!before && row.origin === 'gap' ? marksOfGap(context) : []),
  ]
}

function marksOfGap({ wasRestored, isAnyGivenUp, hasLiar }: RowContext): readonly Mark[] {
  return [
    ...some(wasRestored, 'gap-filler-after-restore'),
    ...some(isAnyGivenUp, 'gap-filler-after-refusal'),
    ...some(hasLiar, 'gap-filler-with-a-liar'),
  ]
}

function marksOfEnd(row: Row, { nodes }: RowContext): readonly Mark[] {
  const { phase, status, origin, cancel_origin: by, included_kind: kind, drop_reason: reason } = row
  const isDropped = phase === 'dropped'
  const isPayload = kind === 'execute' || kind === 'replace' || kind === 'unrecorded'
  return [
    ...some(isDropped && by === 'request', 'verdict-dropped'),
    ...some(isDropped && reason === 'refused', 'refused-for-good'),
    ...some(isDropped && reason === 'refused' && row.to_address === brokenContract, 'failing-call-ended'),
    ...some(isDropped && by === 'expiry', 'expired-in-the-queue'),
    ...some(by === 'request' && kind === 'cancel', 'verdict-won'),
    ...some(by === 'request' && isPayload, 'verdict-lost'),
    ...some(by === 'request' && kind === 'external', 'verdict-external'),
    ...some(by === 'expiry' && kind === 'cancel', 'expired-for-good'),
    ...some(by === 'expiry' && isPayload, 'executed-after-expiry'),
    ...some(by === 'refusal' && kind === 'cancel', 'given-up-for-good'),
    ...some(origin === 'client' && status === 'confirmed', 'confirmed'),
    ...some(isPayload && row.to_address === null && row.included_succeeded === 1, 'contract-created'),
    ...some(isPayload && row.included_succeeded === 0, 'reverted-for-good'),
    ...some(isPayload && row.included_succeeded === null, 'result-unknown'),
    ...some(kind === 'replace', 'replacement-won'),
    ...some(kind === 'execute' && row.earlier !== null, 'replaced-payload-won'),
    ...some(kind === 'unrecorded', 'executed-unrecorded'),
    ...some(origin === 'gap' && isPayload, 'gap-filler'),
    ...some(origin === 'gap' && kind === 'external', 'gap-filler-lost'),
    ...some(row.witnesses === 1 && nodes > 1, 'single-witness'),
    ...some((row.witnesses ?? 0) > 1, 'two-witnesses'),
  ]
}

function marksOfChange(row: Row, before: Row): readonly Mark[] {
  const wasGiven = before.cancel_origin !== row.cancel_origin
  const isInFlight = row.phase === 'inFlight'
  return [
    ...some(wasGiven && row.cancel_origin === 'refusal', 'given-up'),
    ...some(wasGiven && row.cancel_origin === 'expiry' && isInFlight, 'expired-in-flight'),
    ...some(isInFlight && before.earlier !== row.earlier && row.earlier !== null, 'put-in-flight'),
    ...some(before.phase === 'inFlight' && row.phase === 'queued', 'nonce-lost'),
    ...some(before.suspected_hash === null && row.suspected_hash !== null, 'suspected'),
  ]
}

function marksOfInclusion(row: Row, before: Row | undefined, { lastWinner }: RowContext): readonly Mark[] {
  const [is, was] = [row.included_hash, before?.included_hash ?? null]
  const isTakenBack = was !== null && is === null
  return [
    ...some(isTakenBack, 'unmined'),
    ...some(isTakenBack && before?.included_kind === 'cancel', 'race-reopened'),
    ...some(was !== null && before?.confirmed_at !== null && row.confirmed_at === null, 'confirmed-and-unmined'),
    ...some(is !== null && lastWinner !== undefined && lastWinner !== is, 'winner-changed'),
    ...some(row.open === 1 && row.confirmed_at !== null, 'confirmed-before-final'),
  ]
}

function some(is: boolean, mark: Mark): readonly Mark[] {
  return is ? [mark] : []
}
