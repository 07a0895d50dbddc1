// A third replica joins two that share a thousand relayers: how long until each has a third of them, acquired, and whether
// it stays so.
import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256, toHex } from 'viem'
import type { RelayerId } from '../src/domain/ids.ts'
import { slotOf } from '../src/ownership/choose-slots.ts'
import { until } from '../tooling/client.ts'
import { openReplicas, type Replicas } from '../tooling/replicas.ts'
import { asRun } from './bench-service.ts'
import type { Figure } from './figure.ts'

const relayers = 1_000
const limitMs = 120_000
/** After the join, to see whether anything moves any more. */
const watchMs = 10_000

export async function measureBalance(): Promise<Figure[]> {
  const ids = Array.from({ length: relayers }, (_, index) => `bench-${index}`)
  await using place = await openReplicas({
    relayers: ids.map((id) => ({ id, privateKey: keccak256(toHex(id)) })),
    postgres: { settings: asRun },
    env: { LOG_LEVEL: 'warn' },
  })
  const bySlot = Map.groupBy(ids, (id) => slotOf(id as RelayerId))
  const balancedAmong = (replicas: number) =>
    until(async () => isBalanced(await sharesOf(place, bySlot), replicas), {
      everyMs: 20,
      limitMs,
      what: `${replicas} equal shares`,
    })
  const acquired = async (epochs: number) =>
    until(async () => (await epochsOf(place)) >= epochs, { everyMs: 20, limitMs, what: `${epochs} epochs` })

  const begun = performance.now()
  await Promise.all([place.add('one'), place.add('two')])
  await balancedAmong(2)
  await acquired(relayers)
  const started = performance.now() - begun
  await sleep(2_000)
  const before = await epochsOf(place)

  const joining = performance.now()
  const joined = place.add('three').then(() => performance.now())
  await balancedAmong(3)
  await acquired(before + Math.floor(relayers / 3))
  const balanced = performance.now()
  const ready = await joined
  const moved = (await epochsOf(place)) - before
  await sleep(watchMs)
  const later = (await epochsOf(place)) - before - moved
  return [
    {
      name: '1,000 relayers in equal shares of three replicas, after the third is ready',
      value: Math.max(0, balanced - ready) / 1000,
      unit: 's',
      aim: '10 or less',
    },
    { name: '  … after it is started', value: (balanced - joining) / 1000, unit: 's' },
    { name: '  … relayers that changed hands, 333 at least', value: moved, unit: 'relayers' },
    { name: `  … and in the ${watchMs / 1000} seconds after`, value: later, unit: 'relayers' },
    {
      name: 'two replicas started at once on 1,000 relayers, until all are acquired',
      value: started / 1000,
      unit: 's',
    },
  ]
}

/** Relayers by the session that holds their locks. */
async function sharesOf(place: Replicas, bySlot: ReadonlyMap<number, readonly string[]>): Promise<readonly number[]> {
  const rows = await place.query<{ pid: number; slot: number }>(
    `SELECT pid, objid::int8 AS slot FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  const shares = new Map<number, number>()
  for (const { pid, slot } of rows) shares.set(pid, (shares.get(pid) ?? 0) + (bySlot.get(slot)?.length ?? 0))
  return [...shares.values()].filter((share) => share > 0)
}

/** Relayers that meet in a slot go together. */
function isBalanced(shares: readonly number[], replicas: number): boolean {
  const all = shares.reduce((sum, share) => sum + share, 0)
  return all === relayers && shares.length === replicas && Math.max(...shares) - Math.min(...shares) <= 2
}

async function epochsOf(place: Replicas): Promise<number> {
  const [row] = await place.query<{ epochs: number }>('SELECT COALESCE(sum(epoch), 0)::int8 AS epochs FROM relayers')
  return row?.epochs ?? 0
}
