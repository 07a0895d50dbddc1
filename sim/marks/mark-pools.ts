// The marks of pools and blocks: what a node does with bytes that it gets, and whose transaction takes a nonce.
import type { Hash } from '../../src/domain/ids.ts'
import { accountAt } from '../chain/blocks.ts'
import type { SimNode } from '../chain/node.ts'
import type { Admission } from '../chain/pool.ts'
import type { SimTransaction } from '../chain/transaction.ts'
import type { Recorded } from '../check/bytes.ts'
import type { Mark } from './marks.ts'

export interface PoolContext {
  readonly recorded: (hash: Hash) => Recorded | undefined
  readonly isRacing: (id: string) => boolean
  /** A reorganization came within the last few blocks. */
  readonly isAfterReorg: () => boolean
  /** A node lies now. */
  readonly isLying: () => boolean
  readonly isSignerDown: () => boolean
}

/** A node got these bytes from the service, or from somebody else. */
export function marksOfOffer(
  node: SimNode,
  transaction: SimTransaction,
  admission: Admission,
  context: PoolContext,
): readonly Mark[] {
  const attempt = context.recorded(transaction.hash)
  if (!admission.admitted) return attempt ? marksOfRefusal(node, attempt, admission, context) : []
  const { replaced } = admission
  return [
    ...(attempt?.presigned === 1 ? (['pre-signed-no-op-sent'] as const) : []),
    ...(attempt && hasGapBefore(node, transaction) ? (['sent-with-a-gap'] as const) : []),
    ...(replaced ? markOfReplacing(attempt, context.recorded(replaced.hash)) : []),
  ]
}

function markOfReplacing(attempt: Recorded | undefined, before: Recorded | undefined): readonly Mark[] {
  if (!attempt) return before ? ['foreign-displaces-ours'] : []
  if (!before) return [attempt.kind === 'cancel' ? 'no-op-displaces-foreign' : 'payload-displaces-foreign']
  if (attempt.kind === before.kind) return ['own-bid-displaced']
  return attempt.kind === 'cancel' ? ['no-op-displaces-payload'] : []
}

const ofRefusals: Partial<Readonly<Record<string, Mark>>> = { alreadyKnown: 'sent-again', nonceTooLow: 'sent-too-late' }
const ofNoOpRefusals: Partial<Readonly<Record<string, Mark>>> = {
  replacementUnderpriced: 'no-op-outbid',
  insufficientFunds: 'no-op-refused-for-money',
}

function marksOfRefusal(
  { profile }: SimNode,
  attempt: Recorded,
  { refusal, tipNeeded }: Admission & { readonly admitted: false },
  { isRacing, isAfterReorg }: PoolContext,
): readonly Mark[] {
  const isSwallowed = tipNeeded === undefined && profile.swallows.includes(refusal)
  const marks = [ofRefusals[refusal], attempt.kind === 'cancel' ? ofNoOpRefusals[refusal] : undefined]
  return [
    ...marks.filter((mark) => mark !== undefined),
    ...(isSwallowed ? (['swallowed'] as const) : []),
    ...(isSwallowed && isRacing(attempt.transaction_id) ? (['swallowed-in-a-race'] as const) : []),
    ...(isSwallowed && isAfterReorg() ? (['swallowed-after-reorg'] as const) : []),
  ]
}

function hasGapBefore({ pool, head }: SimNode, { from, nonce }: SimTransaction): boolean {
  const own = pool.bySender.get(from)
  for (let below = accountAt(head, from).nonce; below < nonce; below += 1) if (!own?.has(below)) return true
  return false
}

/** `pooled`: what the pools held for its nonce before they saw the block. */
export function marksOfMining(
  { hash }: SimTransaction,
  pooled: readonly SimTransaction[],
  { recorded, isSignerDown, isLying }: PoolContext,
): readonly Mark[] {
  const attempt = recorded(hash)
  const isAgainst = (isOurs: boolean) =>
    pooled.some((each) => each.hash !== hash && (recorded(each.hash) !== undefined) === isOurs)
  if (!attempt) return isAgainst(true) ? ['foreign-takes-nonce'] : []
  const isNoOp = attempt.kind === 'cancel'
  return [
    ...(isAgainst(false) ? [isNoOp ? ('no-op-beats-foreign' as const) : ('payload-beats-foreign' as const)] : []),
    ...(pooled.some((each) => each.hash === hash) ? [] : (['mined-from-no-pool'] as const)),
    ...(isNoOp && isSignerDown() ? (['no-op-mined-without-signer'] as const) : []),
    ...(isNoOp && isLying() ? (['no-op-mined-in-a-lie'] as const) : []),
  ]
}
