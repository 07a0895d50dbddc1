// Checks the reasons for which transactions wait once the faults have stopped: each has to be true, as far as the run shows that.
import type { Condition } from '../../src/domain/condition.ts'
import { maxWei } from '../../src/domain/units.ts'
import { accountAt } from '../chain/blocks.ts'
import { laggedAccount } from '../chain/reserve.ts'
import type { World } from '../world.ts'
import { lateMs, promptBlocks, promptMs } from './prompt-no-ops.ts'
import type { Row } from './row.ts'
import { rulesOf } from './rules.ts'

interface Waiting {
  readonly world: World
  readonly row: Row
  readonly rules: ReturnType<typeof rulesOf>
  readonly isPaused: boolean
  /** The code of the last answer about its newest attempt, as the row has it. */
  readonly answered: string | null
}

type Truth = (waiting: Waiting) => boolean

const never: Truth = () => false
const mayOrderAsTheyCome: Truth = ({ world }) => world.scenario.kind.isFcfs || world.scenario.kind.switchesOrder

const addressOf = ({ world: { addresses }, row }: Waiting) => addresses[Number(row.relayer_id.slice(1))] ?? ''
const accountOf = (waiting: Waiting) => accountAt(waiting.world.blocks.canonical(), addressOf(waiting))
const balanceOf = (waiting: Waiting) => accountOf(waiting).balance

/** The gas of a no-op at most, with the dearest part for L1 or after a fork that makes gas dearer. */
const noOpGasMax = { withL1: 200_000n, onChain: 60_000n }
/** The tip that the service offers a builder who names none, in wei. */
const raisedTip = 3n * 10n ** 9n

/** Per gas: ten times the market, or what replaces the dearest bytes that pools may hold for the nonce. */
function priceEnough(waiting: Waiting): bigint {
  const { world, row } = waiting
  const { bytes, blocks, nodes, scenario } = world
  const { poolTipMin, builderTipMin } = scenario.fees
  const tip = maxWei(raisedTip, maxWei(poolTipMin, builderTipMin))
  const market = 10n * (2n * blocks.canonical().nextBaseFee + tip)
  const address = addressOf(waiting)
  const held = nodes.flatMap(({ pool }) => [...(pool.bySender.get(address)?.values() ?? [])])
  const rivals = [...bytes.everBroadcast, ...held].filter(({ from, nonce }) => from === address && nonce === row.nonce)
  return rivals.reduce((most, { cap }) => maxWei(most, 2n * cap), market)
}

/** The balance does not cover a no-op, or the gas of others in flight or in the last blocks leaves it too little of the reserve. */
function isUnfunded(waiting: Waiting): boolean {
  const { world, row } = waiting
  const { blocks, scenario } = world
  const { nonce, balance } = accountOf(waiting)
  if (scenario.kind.hasL1Fee) return balance <= moreThanEnough(waiting)
  const gas = scenario.kind.hasL1Gas ? noOpGasMax.withL1 : noOpGasMax.onChain
  if (balance < gas * priceEnough(waiting)) return true
  if (!scenario.reserve) return false
  return row.nonce !== nonce || laggedAccount(blocks.canonical(), addressOf(waiting), scenario.reserve).nonce !== nonce
}

/** A foreign transaction waits in a pool. */
function isBlocked(waiting: Waiting): boolean {
  const { nodes, bytes } = waiting.world
  const { nonce: next } = accountOf(waiting)
  return nodes.some(({ pool }) =>
    [...(pool.bySender.get(addressOf(waiting))?.values() ?? [])].some(
      ({ nonce, hash }) => nonce >= next && bytes.recorded(hash) === undefined,
    ),
  )
}

/** The cap or the tip that the client named does not suffice for certain. */
function isNamedLow(waiting: Waiting): boolean {
  const { pricing, gas_price: legacy, max_fee_per_gas: cap, max_priority_fee_per_gas: tip } = waiting.row
  const enough = priceEnough(waiting)
  return pricing !== 'speed' && [legacy, cap, tip].some((wei) => wei !== null && BigInt(wei) < enough)
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

/** Without `max_in_flight` an owner reads at least so many of its queue, and with `skip_unfunded` at most so many that wait for funds. */
const readMost = 32

/**
 * Whether no owner has read the row. Of its queue an owner reads as many as may be in flight, and with `skip_unfunded` those that wait for
 * funds between them: the others keep the reason of the last look until they are among the next.
 */
function isUnread({ world, row, rules: { maxInFlight = readMost, skipUnfunded } }: Waiting): boolean {
  const queue = [...world.rows.all().values()]
    .filter((each) => each.relayer_id === row.relayer_id && each.phase === 'queued' && each.suspected_hash === null)
    .sort((one, other) => one.sequence - other.sequence)
  const isFunded = (each: Row) => !skipUnfunded || each.wait_condition !== 'balance_short'
  const next = queue.filter(isFunded).slice(0, maxInFlight)
  const through = next[maxInFlight - 1]?.sequence ?? Number.POSITIVE_INFINITY
  const passed = queue.filter((each) => !isFunded(each) && each.sequence <= through).slice(0, readMost)
  return row.phase === 'queued' && ![...next, ...passed].some(({ id }) => id === row.id)
}

/** Other conditions depend on what a node has answered, which is not compared here. */
const truths: Partial<Readonly<Record<Condition, Truth>>> = {
  on_hold: ({ row }) => row.phase === 'held',
  paused: ({ isPaused }) => isPaused,
  balance_below_minimum: (waiting) => balanceOf(waiting) < (waiting.rules.minBalance ?? 0n),
  // Where gas is free the account may be empty, and a bid of one wei exceeds that.
  balance_short: (waiting) =>
    balanceOf(waiting) <= moreThanEnough(waiting) ||
    isUnread(waiting) ||
    // A node said so, and the next answer is to show otherwise.
    (waiting.row.wait_facts?.includes('"of":"attempt"') === true && waiting.answered === 'insufficientFunds'),
  cancel_unfunded: isUnfunded,
  gas_price_cap: (waiting) => (waiting.rules.gasPriceCap ?? priceEnough(waiting)) < priceEnough(waiting),
  cancel_gas_price_cap: (waiting) => (waiting.rules.cancelGasPriceCap ?? priceEnough(waiting)) < priceEnough(waiting),
  price_ceiling: ({ rules }) => rules.gasPriceCap === undefined || rules.cancelGasPriceCap === undefined,
  cost_bound: (waiting) => {
    const { cancel_cost_max: bound } = waiting.row
    return bound !== null && BigInt(bound) < moreThanEnough(waiting)
  },
  own_price: (waiting) => isNamedLow(waiting) || waiting.row.earlier !== null,
  nonce_blocked: isBlocked,
  already_ordered: mayOrderAsTheyCome,
  outcome_unknown: mayOrderAsTheyCome,
  cancellation_unclear: ({ world }) => world.state.restores > 0,
  signer_unavailable: ({ world }) => world.scenario.brokenEnd === 'signer',
  head_stalled: never,
  // Such a sequencer has lost what it was given, and gets it again some blocks later.
  no_progress: ({ world }) => world.scenario.isHeldBack === true,
  account_in_use: never,
}

export interface WaitWatch {
  /** Called after each block. Fails if a row shows a reason for long that is not true. */
  look(): void
}

/** A wait is true as of the last observation, which takes half a minute where a node is slow: by the third step two that began later ended. */
const promptSteps = 3

interface Untrue {
  readonly ms: number
  readonly blocks: number
  /** The number of steps that the relayer had begun. */
  readonly stepsBefore: number
}

/** Watches all waits of a world whose nodes are honest from now on. Its figures follow the chain by some blocks. */
export function watchWaits(world: World): WaitWatch {
  const { rows, timeline, history, scenario, machine } = world
  const waits = checkWaits(world)
  /** How long each row has shown a reason that is not true. A DELETE hides a reason for a moment. */
  const shown = new Map<string, Untrue>()
  let last = timeline.now()
  return {
    look() {
      // One lies on.
      if (scenario.brokenEnd === 'liar') return
      const now = timeline.now()
      const passedMs = now - last
      last = now
      for (const row of rows.all().values()) {
        if (row.open === 1 && row.wait_condition === null) continue
        const fault = row.open === 1 ? waits.fault(row) : undefined
        if (fault === undefined) {
          shown.delete(row.id)
          continue
        }
        const steps = machine.owners.stepsOf(row.relayer_id)
        const { ms, blocks, stepsBefore } = shown.get(row.id) ?? { ms: 0, blocks: 0, stepsBefore: steps }
        shown.set(row.id, { ms: ms + passedMs, blocks: blocks + 1, stepsBefore })
        if (ms > promptMs + lateMs && blocks > promptBlocks && steps >= stepsBefore + promptSteps) history.fail(fault)
      }
    },
  }
}

export interface WaitChecks {
  /** Undefined if the reason is true, or nothing here shows whether it is. */
  fault(row: Row): string | undefined
}

export function checkWaits(world: World): WaitChecks {
  const relayerOf = world.machine.disk.committed<[string], { paused: 0 | 1; network_paused: 0 | 1; policies: string }>(
    'SELECT paused, network_paused, policies FROM relayers WHERE id = ?',
  )
  const answersAbout = world.machine.disk.committed<[string], { outcome_code: string | null }>(
    'SELECT outcome_code FROM answered WHERE transaction_id = ? ORDER BY nonce DESC, position DESC LIMIT 1',
  )
  return {
    fault(row) {
      const [relayer] = relayerOf(row.relayer_id)
      const isTrue = row.wait_condition === null ? undefined : truths[row.wait_condition]
      if (!relayer || !isTrue) return undefined
      const isPaused = relayer.paused === 1 || relayer.network_paused === 1
      const answered = answersAbout(row.id)[0]?.outcome_code ?? null
      if (isTrue({ world, row, rules: rulesOf(relayer.policies), isPaused, answered })) return undefined
      return `${row.id.slice(-6)} waits for ${row.wait_condition}, which is not so: ${row.wait_facts}`
    },
  }
}
