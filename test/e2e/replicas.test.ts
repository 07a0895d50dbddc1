// Replicas on one database: each relayer has one owner, whoever is killed, frozen, stopped or started.
import { afterAll, beforeAll, test } from 'vitest'
import { devAccount } from '../support/anvil.ts'
import { until } from '../support/client.ts'
import { poolOf } from './support/ledger.ts'
import { openReplicas, type Replica, type Replicas } from './support/replicas.ts'

const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const ids = ['one', 'two', 'three', 'four', 'five', 'six']

let place: Replicas
beforeAll(async () => {
  place = await openReplicas({
    relayers: ids.map((id, index) => ({ id, privateKey: devAccount(index).key, policies: { max_in_flight: 8 } })),
  })
})
afterAll(() => place?.[Symbol.asyncDispose]())

const pay = ({ client }: Replica, relayer: string) =>
  client.send(relayer, { to: receiver, value: '1', gas_limit: 21_000, speed: 'average' })
const addressOf = (relayer: string) => devAccount(ids.indexOf(relayer)).address

async function inPool(relayer: string, nonces: readonly number[]): Promise<void> {
  let last = ''
  await until(
    async () => {
      last = String([...(await poolOf(place.node, addressOf(relayer))).keys()].sort((one, other) => one - other))
      return last === String(nonces)
    },
    { what: () => `nonces ${nonces} of ${relayer} in the pool; they are ${last}` },
  )
}

test('replicas share relayers, take over from one that is killed, and hand over to one that comes', async () => {
  const a = await place.add('a')
  await place.shared({ a: 6 })
  const b = await place.add('b')
  await place.shared({ a: 3, b: 3 })
  // Whoever is asked: the owner hears of it.
  for (const relayer of ids) await pay(relayer === 'one' ? a : b, relayer)
  for (const relayer of ids) await inPool(relayer, [0])
  await a.service.kill9()
  await place.shared({ b: 6 })
  for (const relayer of ids) await pay(b, relayer)
  for (const relayer of ids) await inPool(relayer, [0, 1])
  await a.service.restart()
  await place.shared({ a: 3, b: 3 })
  await a.service.stop()
  await place.shared({ b: 6 })
  await b.service.stop()
  await place.shared({})
})
