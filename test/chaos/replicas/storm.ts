// A storm over several replicas, from start to verdict: clients, miners and faults, then calm until nothing is open, and
// the judgement.
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { until } from '../../../tooling/client.ts'
import { type Dice, dice } from '../../../tooling/dice.ts'
import { poolOf } from '../../../tooling/ledger.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { gather, openRows } from './evidence.ts'
import { befall, type Fault } from './faults.ts'
import { judge } from './judge.ts'
import { falseVerdicts } from './judge-verdicts.ts'
import { type Takeovers, takeovers } from './takeovers.ts'
import { noTraffic, type Traffic, trafficOn } from './traffic.ts'

interface StormOptions {
  readonly seed: number
  readonly stormMs: number
  /** Receives each event as it happens; default nobody. */
  readonly report?: (line: string) => void
}

interface Outcome {
  /** Broken rules; empty when all is well. */
  readonly wrong: readonly string[]
  readonly faults: Readonly<Record<string, number>>
  readonly traffic: Traffic['counts']
  readonly stored: number
  readonly executed: number
  readonly verdicts: Readonly<Record<string, number>>
  readonly sent: number
  readonly takeovers: Partial<Record<Fault['kind'], Takeovers>>
}

const calmMaxMs = 180_000

export async function storm({ seed, stormMs, report = () => undefined }: StormOptions): Promise<Outcome> {
  await using cluster = await startCluster({
    replicas: ['first', 'second', 'third'],
    hasStandby: true,
    nodeArguments: ['--import', fileURLToPath(new URL('./prune-often.ts', import.meta.url))],
    // A third has a queue, so that something is dropped; one in ten sends a single one at a time.
    policies: (index) => (index % 10 === 0 ? { max_in_flight: 1 } : index % 3 === 0 ? { max_in_flight: 2 } : {}),
  })
  const traffic = noTraffic()
  let raining = true
  const mining = mine(cluster, dice(seed, 'mining'), () => raining)
  const clients = Promise.all(
    Array.from({ length: 6 }, (_, place) => act(cluster, dice(seed, `client ${place}`), traffic, () => raining)),
  )
  const began = performance.now()
  const faults = await befall(
    cluster,
    dice(seed, 'faults'),
    () => performance.now() - began > stormMs,
    (fault) => report(describe(fault)),
  )
  raining = false
  await Promise.all([clients, mining])
  const restless = await calm(cluster)
  const evidence = await gather(cluster)
  const urls = cluster.replicas.map(({ service }) => service.url)
  const { faults: falsehoods, states } = await falseVerdicts(urls, evidence)
  return {
    wrong: [...restless, ...judge(cluster.senders, traffic, evidence), ...falsehoods, ...alarms(cluster)],
    faults: Object.fromEntries([...Map.groupBy(faults, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length])),
    traffic: traffic.counts,
    stored: evidence.rows.length,
    executed: evidence.rows.filter(({ status }) => status === 'confirmed').length,
    verdicts: states,
    sent: evidence.broadcasts.length,
    takeovers: takeovers(evidence, faults),
  }
}

async function act(cluster: Cluster, chance: Dice, traffic: Traffic, goesOn: () => boolean): Promise<void> {
  const client = trafficOn(cluster, chance, traffic)
  while (goesOn()) {
    await sleep(chance.between(50, 350))
    const sender = chance.pick(cluster.senders)
    const what = chance.weighted({ send: 20, cancel: 6, bulk: 0.3 })
    if (what === 'send') await client.send(sender)
    else if (what === 'cancel') await client.cancel()
    else await client.cancelPending(sender)
  }
}

async function mine({ chains }: Cluster, chance: Dice, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    await sleep(chance.between(300, 900))
    await Promise.all(Object.values(chains).map((node) => node.mine()))
  }
}

/** Mines until nothing is open, all are ready and all pools are empty. Returns the parts that do not come to rest. */
export async function calm({ query, chains, replicas, senders }: Cluster): Promise<readonly string[]> {
  let open: readonly unknown[] = []
  const rested = async () => {
    open = await query(openRows)
    if (open.length === 0) return true
    await Promise.all(Object.values(chains).map((node) => node.mine()))
    return false
  }
  const restless: string[] = []
  await until(rested, { everyMs: 500, limitMs: calmMaxMs, what: 'nothing to be open' }).catch(() => {
    restless.push(`${open.length} are open for good: ${JSON.stringify(open.slice(0, 5))}`)
  })
  for (const { name, service } of replicas) {
    const isReady = async () => {
      const { statusCode, body } = await request(`${service.url}/api/v1/ready`)
      await body.dump()
      return statusCode === 200
    }
    await until(isReady, { everyMs: 100, limitMs: 30_000, what: 'ready' }).catch(() => {
      restless.push(`${name} is not ready any more:\n${service.logs().slice(-3_000)}`)
    })
  }
  for (const { id, chain, address } of senders) {
    const node = chains[chain]
    const left = node ? [...(await poolOf(node, address)).keys()] : []
    if (left.length > 0) restless.push(`${id}: nonces ${left} are left in the pool`)
  }
  return restless
}

/** Databases and lines break here, and the log may say so; an invariant does not. */
function alarms({ replicas }: Cluster): readonly string[] {
  return replicas.flatMap(({ name, service }) =>
    service
      .logs()
      .split('\n')
      .flatMap((line) => (/an invariant does not hold/.test(line) ? [`${name}: ${line}`] : [])),
  )
}

function describe({ kind, replica, from, to, remark }: Fault): string {
  const whom = replica === undefined ? '' : ` of ${replica}`
  return `${new Date(from).toISOString()} ${kind}${whom} for ${to - from} ms${remark === undefined ? '' : `: ${remark}`}`
}
