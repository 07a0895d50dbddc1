// Blocks that leave out what waits in the pool.
import type { Payment } from '../../e2e/support/play.ts'
import type { LyingStage } from './lying-stage.ts'

/** A builder that leaves ours out: the pool is emptied in the request that makes the block, so that no broadcast comes between. */
export async function mineWithout({ node, rows }: LyingStage, payments: readonly Payment[]): Promise<void> {
  const batch = ['anvil_dropAllTransactions', 'evm_mine'].map((method, id) => ({
    jsonrpc: '2.0',
    id,
    method,
    params: [],
  }))
  const headers = { 'content-type': 'application/json' }
  await (await fetch(node.url, { method: 'POST', headers, body: JSON.stringify(batch) })).json()
  for (const { raw } of payments.flatMap(({ id }) => rows.attempts(id))) {
    // Of two for one nonce the pool takes the dearer one.
    await node.rpc('eth_sendRawTransaction', [raw]).catch(() => undefined)
  }
}

/** Blocks come that leave ours out, until `condition` holds. */
export async function leftOutUntil(
  stage: LyingStage,
  payments: readonly Payment[],
  what: string,
  condition: () => Promise<boolean>,
): Promise<void> {
  for (let blocks = 0; !(await condition()); blocks += 1) {
    if (blocks > 60) throw new Error(`no ${what}\n${stage.service.logs().slice(-3000)}`)
    await mineWithout(stage, payments)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
