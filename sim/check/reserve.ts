// What a chain reverts for its reserve, where the service could have waited: nobody took money, signed elsewhere or took a block back.
import type { Block } from '../chain/blocks.ts'
import type { World } from '../world.ts'

export function demandReserve({ scenario, bytes, history }: World, block: Block): void {
  const { reserve, restores, liar } = scenario
  if (!reserve?.isSteady || restores.length > 0 || liar) return
  for (const { transaction, touchedReserve } of block.included) {
    const attempt = touchedReserve ? bytes.recorded(transaction.hash) : undefined
    if (attempt)
      history.fail(
        `${attempt.transaction_id.slice(-6)} was mined in block ${block.number} and touched the reserve of ${reserve.reserve} wei`,
      )
  }
}
