// What a replica that takes requests costs beside one that sends: from a POST to the one until the other's bytes are at the
// node, by NOTIFY on PostgreSQL.
import { setTimeout as sleep } from 'node:timers/promises'
import { devAccount } from '../tooling/anvil.ts'
import { openReplicas, type Replica } from '../tooling/replicas.ts'
import { asRun } from './bench-service.ts'
import type { Figure } from './figure.ts'

const relayers = 10
const rounds = 40
const warmUpRounds = 5
/** The relayers come to rest before they are woken anew. */
const restMs = 250

export async function measureWakeUp(): Promise<Figure[]> {
  const ids = Array.from({ length: relayers }, (_, index) => `bench-${index}`)
  await using place = await openReplicas({
    relayers: ids.map((id, index) => ({ id, privateKey: devAccount(index).key })),
    postgres: { settings: asRun },
    env: { LOG_LEVEL: 'warn' },
  })
  const api = await place.add('api', { env: { ROLE: 'api' } })
  const worker = await place.add('worker', { env: { ROLE: 'worker' } })
  await place.shared({ worker: relayers })
  const arrival = arrivalsAt(worker)
  const afterRequest: number[] = []
  const afterAnswered: number[] = []
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const id of ids) {
      const arrived = arrival()
      const requested = performance.now()
      await api.client.send(id, { to: devAccount(0).address, value: '1', gas_limit: 21_000, speed: 'average' })
      const answered = performance.now()
      const at = await arrived
      if (round < 0) continue
      afterRequest.push(at - requested)
      afterAnswered.push(Math.max(0, at - answered))
    }
    await place.node.mine()
    await sleep(restMs)
  }
  return [
    ...figuresOf('accepted by one replica to broadcast by another', afterAnswered, 'under 20'),
    ...figuresOf('POST to one replica to broadcast by another', afterRequest),
  ]
}

/** Each call resolves with the moment at which the next signed transaction is at the node's door. */
function arrivalsAt({ line }: Replica): () => Promise<number> {
  let arrived: (at: number) => void = () => undefined
  line.onRequest(({ calls }) => {
    if (calls.some(({ method }) => method === 'eth_sendRawTransaction')) arrived(performance.now())
    return { do: 'forward' }
  })
  return () =>
    new Promise((resolve) => {
      arrived = resolve
    })
}

function figuresOf(name: string, timesMs: readonly number[], aim?: string): Figure[] {
  const sorted = timesMs.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return [
    { name: `${name}, p50`, value: at(0.5), unit: 'ms' },
    { name: `${name}, p99 of ${sorted.length}`, value: at(0.99), unit: 'ms', ...(aim !== undefined && { aim }) },
  ]
}
