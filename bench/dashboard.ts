// What an open dashboard costs the other clients: the service's processor time for each request, without and with one, in turn.
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import type { Service } from '../tooling/service.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { type Load, startLoad, targetOf } from './load.ts'
import { openPage } from './open-page.ts'
import { processorSeconds } from './processor-time.ts'

const connections = 50
const requests = 15_000
const turns = 5
const relayer = 'bench'

/** The view that reads most: that of the relayer under load. */
const paths = ['', '/status', '/nonces', '/transactions?per_page=25&page=1'].map(
  (path) => `/v1/relayers/${relayer}${path}`,
)

/** In microseconds of the service's processor time for each request. */
interface Cost {
  readonly post: number
  readonly delete: number
}

export async function measureDashboard(options: BenchOptions): Promise<Figure[]> {
  await using anvil = await startAnvil({ mining: 'manual' })
  await using service = await startBenchService(options, {
    profileName: 'dashboard',
    networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 1000 }],
    relayers: [{ id: relayer, privateKey: devAccount(0).key, policies: { max_in_flight: 16 } }],
  })
  await using load = startLoad()
  await costOf(service, load)
  let readings = 0
  async function costBeside(): Promise<Cost> {
    await using page = await openPage(service, paths)
    const cost = await costOf(service, load)
    readings += page.readings()
    return cost
  }

  const pairs: { readonly alone: Cost; readonly watched: Cost }[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    // The database grows, so the one that is measured later changes from turn to turn.
    const first = turn % 2 === 0 ? await costOf(service, load) : await costBeside()
    const second = turn % 2 === 0 ? await costBeside() : await costOf(service, load)
    pairs.push(turn % 2 === 0 ? { alone: first, watched: second } : { alone: second, watched: first })
  }
  return [
    ...(['post', 'delete'] as const).flatMap((verb) => {
      const more = median(pairs.map(({ alone, watched }) => watched[verb] / alone[verb]))
      return [
        {
          name: `${verb.toUpperCase()} without an open dashboard`,
          value: median(pairs.map(({ alone }) => alone[verb])),
          unit: 'µs',
        },
        { name: '  … with one open', value: median(pairs.map(({ watched }) => watched[verb])), unit: 'µs' },
        { name: '  … which is more by, in the median turn', value: 100 * more - 100, unit: '%', aim: 'under 5' },
      ]
    }),
    { name: `times that the open page read its view in ${turns} turns`, value: readings, unit: 'times' },
  ]
}

async function costOf(service: Service, load: Load): Promise<Cost> {
  const target = targetOf(service, relayer)
  const measured = async (kind: 'post' | 'delete') => {
    const before = await processorSeconds(service.pid)
    await load.run({ kind, target, connections, requests })
    return (1e6 * ((await processorSeconds(service.pid)) - before)) / requests
  }
  return { post: await measured('post'), delete: await measured('delete') }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
