// What a bulk cancellation would cancel, as far as lists can count it, and the question before it.
import type { BulkInput, Client, OverviewView } from '../client/client.ts'
import { systemClock } from '../ops/clock.ts'
import { filterWords } from './bulk-filter.ts'
import { type BulkLimit, limitWords } from './bulk-limit.ts'
import { pairs } from './format.ts'
import { requireYes } from './require-yes.ts'
import { plain, type Terminal } from './terminal.ts'

type Scope = Pick<BulkInput, 'filter' | 'relayers' | 'pause'> & BulkLimit

/** Returns after a yes. */
export async function confirmBulk(terminal: Terminal, client: Client, scope: Scope): Promise<void> {
  const { filter, relayers, pause } = scope
  const views = await viewsOf(client, relayers)
  const counted = await Promise.all(
    views.filter((view) => view.queued + view.in_flight > 0).map(async (view) => count(client, view, filter)),
  )
  const most = counted.reduce((sum, each) => sum + each, 0)
  const matches = filter.ids === undefined ? most : Math.min(most, filter.ids.length)
  const lines = pairs([
    ['relayers', relayers === 'all' ? `all ${views.length}` : relayers.join(', ')],
    ['cancels', filterWords(filter)],
    ['transactions, at most', matches],
    ['limit', limitWords(scope)],
    ['paused', pause ? 'every one of these relayers, until it is resumed' : undefined],
  ])
  for (const line of lines) terminal.say(line)
  const whose = relayers === 'all' ? 'all relayers' : relayers.join(', ')
  await requireYes(terminal, {
    needsAnswer: 'a bulk cancellation',
    question: plain(`${pause ? 'Pause and cancel' : 'Cancel'} ${filterWords(filter)} of ${whose}?`),
    otherwise: 'nothing was canceled',
  })
}

/** Throws ApiError for a relayer that the key does not see. */
async function viewsOf(client: Client, relayers: BulkInput['relayers']): Promise<readonly OverviewView[]> {
  if (relayers !== 'all') return Promise.all(relayers.map((id) => client.relayerOverview(id)))
  const all: OverviewView[] = []
  for (let page = 1; ; page += 1) {
    const { items } = await client.overview({ page, perPage })
    all.push(...items)
    if (items.length < perPage) return all
  }
}

const perPage = 1_000
const open = ['pending', 'sent', 'submitted'] as const

/** The lists have no selector, and one tag: a filter counts too many. */
async function count(client: Client, { id, queued, in_flight: inFlight }: OverviewView, filter: BulkInput['filter']) {
  const { ids: _ids, selector: _selector, tag, status, older_than: older, newer_than: newer, ...rest } = filter
  if (!tag && !status && !older && !newer && Object.keys(rest).length === 0) return queued + inFlight
  const tags = tag === undefined ? [undefined] : [tag].flat()
  const lists = (status ?? open).flatMap((each) =>
    tags.map((one) => ({ status: each, ...(one !== undefined && { tag: one }) })),
  )
  const totals = lists.map(async (list) => {
    const { total } = await client.transactions(id, {
      ...{ ...rest, ...list, perPage: 1 },
      ...(older !== undefined && { created_to: before(older) }),
      ...(newer !== undefined && { created_from: before(newer) }),
    })
    return total
  })
  return (await Promise.all(totals)).reduce((sum, each) => sum + each, 0)
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function before(duration: string): string {
  return new Date(systemClock.now() - Number(duration.slice(0, -1)) * (units[duration.slice(-1)] ?? 0)).toISOString()
}
