// Payloads whose gas is the service's to choose, long after a fork: none may keep a limit that no node accepts any more.
import type { Hex } from '../../src/domain/ids.ts'
import { formOf, gasOf } from '../chain/gas-rules.ts'
import { tagOf } from '../chain/transaction.ts'
import type { World } from '../world.ts'

const limits: readonly string[] = ['gas_price_cap', 'own_price', 'price_ceiling', 'balance_short']

/** More gas for a payload whose client named none, unless its price stands in the way. */
export function demandGas({ rows, clients, machine, blocks, node, addresses, history, scenario }: World): void {
  const rules = node.gasRulesAt(blocks.canonical().number)
  if (!rules || scenario.brokenEnd) return
  const attempts = machine.disk.committed<[string, number], { readonly kind: string; readonly gas_limit: number }>(
    'SELECT kind, gas_limit FROM attempts WHERE transaction_id = ? AND nonce = ? ORDER BY position DESC',
  )
  for (const {
    id,
    nonce,
    phase,
    data,
    to_address: to,
    canceled_at: taken,
    relayer_id: relayer,
    wait_condition: wait,
  } of rows.all().values()) {
    const request = clients.requests.get(tagOf({ data: data as Hex, to }) ?? -1)
    if (phase !== 'inFlight' || nonce === null || taken !== null || !request || request.gasLimit !== undefined) continue
    const [latest] = attempts(id, nonce)
    const needed = gasOf(formOf(addresses[Number(relayer.slice(1))] ?? '', request), rules)
    if (latest?.kind === 'cancel' || !latest || latest.gas_limit >= needed || limits.includes(wait ?? '')) continue
    history.fail(`${id.slice(-6)} has ${latest.gas_limit} gas since before a fork, and needs ${needed}`)
  }
}
