// A line between a replica and its database that falls silent for good, in the middle of an owner's write: no end arrives,
// neither here nor there, and new connections can be made. Nothing may wait for the old ones.
import { expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { dice } from '../../tooling/dice.ts'
import { startCluster } from './replicas/cluster.ts'
import { gather } from './replicas/evidence.ts'
import { beginsUnit } from './replicas/gate.ts'
import { readJournal } from './replicas/journal.ts'
import { judge } from './replicas/judge.ts'
import { calm } from './replicas/storm.ts'
import { noTraffic, trafficOn } from './replicas/traffic.ts'

test('the replica goes on over new connections, with its own relayers and for its clients', {
  timeout: 240_000,
}, async () => {
  await using cluster = await startCluster({ replicas: ['first', 'second'], chains: ['one'], relayersPerChain: 4 })
  const traffic = noTraffic()
  const through = (name: string) => {
    const replicas = cluster.replicas.filter((each) => each.name === name)
    return trafficOn({ ...cluster, replicas }, dice(1, name), traffic)
  }
  const [first, second] = [through('first'), through('second')]
  const sendAll = (client: typeof first) => Promise.all(cluster.senders.map(client.send))
  await sendAll(first)
  expect(await calm(cluster)).toEqual([])

  const journal = await readJournal(cluster.query)
  const owned = cluster.senders.find(({ id }) => journal.findLast(({ relayer }) => relayer === id)?.replica === 'first')
  const gate = cluster.replicas.find(({ name }) => name === 'first')?.gate
  if (!owned || !gate) throw new Error('the first replica owns nothing')
  void gate.freezeAt(beginsUnit)
  await second.send(owned)
  await until(() => gate.waiting().includes(owned.id), { what: 'a write of the owner on its way' })
  gate.forget()
  gate.thaw()

  await sendAll(first)
  await sendAll(second)
  const restless = await calm(cluster)
  expect([...restless, ...judge(cluster.senders, traffic, await gather(cluster))]).toEqual([])
})
