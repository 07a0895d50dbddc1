// The time of pages of a list of transactions: first pages, or pages from all depths.
import { type Client, openClient } from '../tooling/client.ts'
import type { Service } from '../tooling/service.ts'
import { median } from './median.ts'
import { processorSeconds } from './processor-time.ts'

export const pages = 300
const perPage = 10
/** Rows that page numbers reach. Deeper pages are read by `before`. */
const pagedRowsMax = 100_000

interface PageTimes {
  readonly medianMs: number
  readonly slowestMs: number
  /** Of the service, for each. */
  readonly processorMs: number
}

/** One after the other, of each service in turn. Deep pages are spread over `finished` transactions, with and without a status. */
export async function measurePages(
  services: readonly Service[],
  kind: 'first' | 'deep',
  finished: number,
): Promise<PageTimes[]> {
  await using clients = new AsyncDisposableStack()
  const each = await Promise.all(
    services.map(async ({ url, apiKey, pid }) => ({
      client: clients.use(openClient(url, apiKey)),
      timesMs: [] as number[],
      pid,
      begun: await processorSeconds(pid),
    })),
  )
  for (let page = 0; page < pages; page += 1) {
    // Neighbors in time are far apart in the list.
    const share = ((page * 7) % pages) / (pages - 1)
    const row = kind === 'first' ? 0 : Math.floor((finished - perPage) * share)
    const status = page % 2 === 0 ? '' : '&status=confirmed'
    for (const { client, timesMs } of each) timesMs.push((await readPage(client, `${from(row, finished)}${status}`)).ms)
  }
  return Promise.all(
    each.map(async ({ timesMs, pid, begun }) => ({
      medianMs: median(timesMs),
      slowestMs: Math.max(...timesMs),
      processorMs: (1000 * ((await processorSeconds(pid)) - begun)) / pages,
    })),
  )
}

/** The finished transactions have the sequences from 1 on. */
function from(row: number, finished: number): string {
  return row < pagedRowsMax ? `&page=${1 + Math.floor(row / perPage)}` : `&before=${finished - row + 1}-0`
}

export async function finishedIn({ url, apiKey }: Service): Promise<number> {
  await using client = openClient(url, apiKey)
  return (await readPage(client, '&status=confirmed')).total
}

async function readPage(client: Client, query: string): Promise<{ ms: number; total: number }> {
  const began = performance.now()
  const { status, body } = await client.request('GET', `/relayers/bench/transactions?per_page=${perPage}${query}`)
  if (status !== 200) throw new Error(`a page was answered ${status}`)
  const { total_items: total } = (body as { pagination: { total_items: number } }).pagination
  return { ms: performance.now() - began, total }
}
