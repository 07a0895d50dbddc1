// Checks the reason for which a transaction still waits long after the faults stopped: it has to be true, as far as the run shows that.
import type { Condition } from '../../src/domain/condition.ts'
import { maxWei } from '../../src/domain/units.ts'
import { accountAt } from '../chain/blocks.ts'
import type { World } from '../world.ts'
import type { Row } from './row.ts'
import { rulesOf } from './rules.ts'

interface Waiting {
  readonly world: World
  readonly row: Row
  readonly rules: ReturnType<typeof rulesOf>
  readonly isPaused: boolean
}

type Truth = (waiting: Waiting) => boolean

const never: Truth = () => false
const mayOrderAsTheyCome: Truth = ({ world }) => world.scenario.kind.isFcfs || world.scenario.kind.switchesOrder

function balanceOf({ world: { addresses, blocks }, row }: Waiting): bigint {
  return accountAt(blocks.canonical(), addresses[Number(row.relayer_id.slice(1))] ?? '').balance
}

/** More than all open transactions cost, each as dear as the dearest bytes so far, and whatever policies and the chain keep. */
function moreThanEnough({ world, rules }: Waiting): bigint {
  const { blocks, bytes, rows, scenario } = world
  const price = blocks.canonical().nextBaseFee
  const dearest = bytes.everBroadcast.reduce(
    (most, { cap, gasLimit, value }) => maxWei(most, cap * BigInt(gasLimit) + value),
    300_000n * 4n * price,
  )
  const open = [...rows.all().values()].filter((row) => row.open === 1)
  const values = open.reduce((sum, row) => sum + BigInt(row.value), 0n)
  const kept = (rules.cancelReserve ?? 0n) + (rules.minBalance ?? 0n) + 2n * (scenario.reserve?.reserve ?? 0n)
  return 4n * dearest * BigInt(open.length + 1) + values + kept
}

/** Other conditions depend on what a node has answered, which is not compared here. */
const truths: Partial<Readonly<Record<Condition, Truth>>> = {
  on_hold: ({ row }) => row.phase === 'held',
  paused: ({ isPaused }) => isPaused,
  balance_below_minimum: (waiting) => balanceOf(waiting) < (waiting.rules.minBalance ?? 0n),
  balance_short: (waiting) => balanceOf(waiting) < moreThanEnough(waiting),
  gas_price_cap: ({ rules }) => rules.gasPriceCap !== undefined,
  cancel_gas_price_cap: ({ rules }) => rules.cancelGasPriceCap !== undefined,
  price_ceiling: ({ rules }) => rules.gasPriceCap === undefined || rules.cancelGasPriceCap === undefined,
  cost_bound: ({ row }) => row.cancel_cost_max !== null,
  own_price: ({ row }) => row.pricing !== 'speed' || row.earlier !== null,
  already_ordered: mayOrderAsTheyCome,
  outcome_unknown: mayOrderAsTheyCome,
  cancellation_unclear: ({ world }) => world.state.restores > 0,
  signer_unavailable: ({ world }) => world.scenario.brokenEnd === 'signer',
  account_in_use: never,
}

export interface WaitChecks {
  /** Undefined if the reason is true, or nothing here shows whether it is. */
  fault(row: Row): string | undefined
}

export function checkWaits(world: World): WaitChecks {
  const relayerOf = world.machine.disk.committed<[string], { paused: 0 | 1; network_paused: 0 | 1; policies: string }>(
    'SELECT paused, network_paused, policies FROM relayers WHERE id = ?',
  )
  return {
    fault(row) {
      const [relayer] = relayerOf(row.relayer_id)
      const isTrue = row.wait_condition === null ? undefined : truths[row.wait_condition]
      if (!relayer || !isTrue) return undefined
      const isPaused = relayer.paused === 1 || relayer.network_paused === 1
      if (isTrue({ world, row, rules: rulesOf(relayer.policies), isPaused })) return undefined
      return `${row.id.slice(-6)} waits for ${row.wait_condition}, which is not so: ${row.wait_facts}`
    },
  }
}
