// What a bulk cancellation would cancel, by the service's preview, and the question before it.
import type { BulkInput, BulkPreviewInput, BulkPreviewView, Client } from '../client/client.ts'
import { filterWords } from './bulk-filter.ts'
import { type BulkLimit, limitWords } from './bulk-limit.ts'
import { type Cell, ether, pairs } from './format.ts'
import { requireYes } from './require-yes.ts'
import { plain, type Terminal } from './terminal.ts'

type Scope = BulkPreviewInput

/** Returns the token of the preview after a yes. `token`: of an earlier preview, which is not shown again. */
export async function confirmBulk(
  terminal: Terminal,
  client: Client,
  scope: Scope,
  token: string | undefined,
): Promise<string> {
  const { filter, relayers, pause } = scope
  const preview = token === undefined ? await client.previewBulkCancellation(scope) : undefined
  const shown = preview ? previewPairs(scope, preview) : scopePairs(scope, undefined)
  for (const line of pairs(shown)) terminal.say(line)
  const whose = relayers === 'all' ? 'all relayers' : relayers.join(', ')
  await requireYes(terminal, {
    needsAnswer: 'a bulk cancellation',
    question: plain(`${pause ? 'Pause and cancel' : 'Cancel'} ${filterWords(filter)} of ${whose}?`),
    otherwise: 'nothing was canceled',
  })
  return token ?? preview?.token ?? ''
}

export function previewPairs(scope: Scope, preview: BulkPreviewView): readonly (readonly [string, Cell])[] {
  const { counts, cost, parts } = preview
  const amounts = cost && `up to ${ether(cost.now)} now, ${ether(cost.max)} at most`
  const isPriced = parts.every((part) => part.cost !== undefined)
  return [
    ...scopePairs(scope, parts.length),
    ['transactions', counts.matches],
    ['free', counts.free],
    ['no-ops', counts.no_ops],
    ['cost', amounts ?? (isPriced ? 'in different currencies: see --json' : 'unknown: no price was observed yet')],
    ['canceled before', counts.already || undefined],
    ['left by the limit of cost', counts.left || undefined],
  ]
}

function scopePairs(
  { filter, relayers, pause, ...limit }: Pick<BulkInput, 'filter' | 'relayers' | 'pause'> & BulkLimit,
  count: number | undefined,
): readonly (readonly [string, Cell])[] {
  return [
    ['relayers', relayers === 'all' ? `all${count === undefined ? '' : ` ${count}`}` : relayers.join(', ')],
    ['cancels', filterWords(filter)],
    ['limit', limitWords(limit)],
    ['paused', pause ? 'every one of these relayers, until it is resumed' : undefined],
  ]
}
