// An owner is stopped when its write is on the way to the database, for longer than its lease; another takes over; then the
// write arrives. With the fence nothing of it is stored. Without it the oracle of the storm must notice: were it silent
// here, its silence elsewhere would mean nothing.
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { dice } from '../../tooling/dice.ts'
import { type Cluster, signal, startCluster } from './replicas/cluster.ts'
import { gather } from './replicas/evidence.ts'
import { beginsUnit } from './replicas/gate.ts'
import { readJournal } from './replicas/journal.ts'
import { judge } from './replicas/judge.ts'
import { calm } from './replicas/storm.ts'
import { noTraffic, trafficOn } from './replicas/traffic.ts'

const broken = (how: 'fence' | 'clock') => [
  '--import',
  fileURLToPath(new URL(`./replicas/without-${how}.ts`, import.meta.url)),
]

test('the write is refused', { timeout: 240_000 }, async () => {
  expect(await oversleep([])).toEqual([])
})

test('by the epoch alone, too, whatever the clock of the owner says', { timeout: 240_000 }, async () => {
  expect(await oversleep(broken('clock'))).toEqual([])
})

test('without either the oracle notices', { timeout: 240_000 }, async () => {
  const second = /^(first|second) recorded 0x[0-9a-f]{64} of one-0 under epoch \d+, which is (first|second)'s$/
  expect(await oversleep(broken('fence'))).toContainEqual(expect.stringMatching(second))
})

/** Resolves with what the oracle finds wrong at the end. */
async function oversleep(nodeArguments: readonly string[]): Promise<readonly string[]> {
  await using cluster = await startCluster({
    replicas: ['first', 'second'],
    chains: ['one'],
    relayersPerChain: 1,
    nodeArguments,
  })
  const traffic = noTraffic()
  const client = trafficOn(cluster, dice(1, 'client'), traffic)
  const [sender] = cluster.senders
  if (!sender) throw new Error('there is no relayer')
  await client.send(sender)
  expect(await calm(cluster)).toEqual([])

  const owner = await replicaOf(cluster, await lastToAct(cluster))
  const other = cluster.replicas.find((each) => each !== owner)
  if (!other) throw new Error('there is one replica only')
  // What begins a unit of work; requests go to the other replica, so that it can only be the owner's own.
  const sprung = owner.gate.freezeAt(beginsUnit)
  const elsewhere = trafficOn({ ...cluster, replicas: [other] }, dice(1, 'elsewhere'), traffic)
  await elsewhere.send(sender)
  await until(() => owner.gate.waiting().includes(sender.id), { what: 'the write of the owner on its way' })
  const port = await sprung
  signal(owner.service, 'SIGSTOP')

  // The new owner comes as far as its first question to the node, and no further, so that all is as the old one saw it.
  const requested = cluster.recorder.hold(other.name, () => true)
  await until(async () => (await lastToAct(cluster)) === other.name, { what: 'a new owner' })
  const thawedAt = Date.now()
  owner.gate.thaw()
  signal(owner.service, 'SIGCONT')
  await until(() => hasEnded(cluster, port, thawedAt), { what: 'the end of the write that overslept' })
  requested.letGo()

  const restless = await calm(cluster)
  return [...restless, ...judge(cluster.senders, traffic, await gather(cluster))]
}

function replicaOf({ replicas }: Cluster, name: string) {
  const replica = replicas.find((each) => each.name === name)
  if (!replica) throw new Error(`there is no replica "${name}"`)
  return replica
}

async function lastToAct({ query }: Cluster): Promise<string> {
  return (await readJournal(query)).at(-1)?.replica ?? ''
}

/** Whether what waited for this session has ended, one way or the other. */
async function hasEnded({ query }: Cluster, port: number, since: number): Promise<boolean> {
  const sessions = await query<{ over: boolean }>(
    `SELECT state = 'idle' AND query IN ('COMMIT', 'ROLLBACK') AND extract(epoch FROM state_change) * 1000 > ${since} AS over
     FROM pg_stat_activity WHERE client_port = ${port}`,
  )
  return sessions.every(({ over }) => over)
}
