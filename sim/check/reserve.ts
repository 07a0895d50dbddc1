// Checks that no payload reverts for the reserve of its account where the service could have waited: no theft, foreign transaction or
// reorganization happened, and no earlier transaction became dearer after the send.
import type { Block } from '../chain/blocks.ts'
import type { SimTransaction } from '../chain/transaction.ts'
import type { World } from '../world.ts'
import type { Recorded } from './bytes.ts'

export function demandReserve(world: World, block: Block): void {
  const { reserve, restores, liar } = world.scenario
  if (!reserve?.isSteady || restores.length > 0 || liar) return
  for (const { transaction, touchedReserve } of block.included) {
    const attempt = touchedReserve ? world.bytes.recorded(transaction.hash) : undefined
    if (attempt && !wasOutpriced(world, transaction, attempt, block))
      world.history.fail(
        `${attempt.transaction_id.slice(-6)} was mined in block ${block.number} and touched the reserve of ${reserve.reserve} wei`,
      )
  }
}

/** A transaction with a lower nonce was mined at a price that was signed after this one was sent. */
function wasOutpriced(
  { bytes, machine }: World,
  { from, nonce }: SimTransaction,
  { transaction_id: id }: Recorded,
  top: Block,
): boolean {
  const first = machine.disk.committed<[string], { block: number }>(
    'SELECT MIN(recorded_at_block) AS block FROM attempts WHERE transaction_id = ?',
  )
  const sentAt = first(id)[0]?.block ?? 0
  for (let at: Block | undefined = top; at && at.number >= sentAt; at = at.parent) {
    for (const { transaction } of at.included) {
      if (transaction.from !== from || transaction.nonce >= nonce) continue
      const ahead = bytes.recorded(transaction.hash)
      if (ahead && ahead.position > 0 && ahead.recorded_at_block >= sentAt) return true
    }
  }
  return false
}
