// A bulk cancellation for people, and its exit code.
import type { BulkHeadView, BulkView } from '../client/client.ts'
import { filterWords } from './bulk-filter.ts'
import { limitWords, refusedLines, refusedPairs } from './bulk-limit.ts'
import { type Exit, exits } from './exits.ts'
import { type Cell, ether, etherAtLeast, table } from './format.ts'

/** 0 only if no payload that it canceled can execute any more, and every match was canceled. */
export function exitOfBulk({ final, counts }: BulkHeadView): Exit {
  if (counts.refused > 0) return exits.error
  if (counts.lost + counts.external > 0 && final) return exits.lost
  return final && counts.safe_to_retry === 'all' ? exits.done : exits.undecided
}

export function canceledBy({ dropped, racing, won, lost, external }: BulkHeadView['counts']): number {
  return dropped + racing + won + lost + external
}

export function bulkPairs(bulk: BulkView): readonly (readonly [string, Cell])[] {
  const { counts } = bulk
  return [
    ['id', bulk.id],
    ['name', bulk.name],
    ['reason', bulk.reason],
    ['requested', bulk.requested_at],
    ['by', bulk.requested_by],
    ['filter', filterWords(bulk.filter)],
    ['limit', limitWords(bulk)],
    ['relayers', bulk.every_relayer ? `all: ${bulk.relayers.join(', ')}` : bulk.relayers.join(', ')],
    ['paused them', bulk.pause ? 'yes' : undefined],
    ['canceled', canceledBy(counts)],
    ['dropped, free', counts.dropped],
    ['racing', counts.racing],
    ['won', counts.won],
    ['lost', counts.lost],
    ['external', counts.external],
    ['canceled before', counts.already || undefined],
    ['refused', counts.refused || undefined],
    ...refusedPairs(bulk),
    ['previewed', bulk.preview && previewWords(bulk.preview)],
    ['not final', counts.not_final],
    ['cost', costOf(bulk)],
    ['cost at most', costMaxOf(bulk)],
    ['safe to retry', safeWords(counts)],
    ['final', bulk.final_at ?? 'no'],
  ]
}

function previewWords({ matches, ended }: NonNullable<BulkHeadView['preview']>): string {
  return ended ? `${matches}: ${ended} had ended, or no longer matched` : `${matches}`
}

export function costOf({ counts: { cost, cost_unknown: unknown }, final }: BulkHeadView): string {
  return `${ether(cost)}${final ? '' : ' so far'}${unknown > 0 ? `, without ${unknown} whose cost no node reported` : ''}`
}

/** The sum of the shares, once each relayer has stopped. Undefined without a limit of cost. */
function costMaxOf({ parts }: BulkView): string | undefined {
  const shares = parts.flatMap(({ cost_max: share }) => (share === undefined ? [] : [BigInt(share)]))
  return shares.length === 0 ? undefined : etherAtLeast(String(shares.reduce((sum, each) => sum + each)))
}

export function safeWords(counts: BulkHeadView['counts']): string {
  const { safe_to_retry: safe } = counts
  return safe === 'all' ? 'yes' : `${safe} of ${canceledBy(counts)}`
}

/** One line for each relayer, and one for each refused match. */
export function partLines(bulk: BulkView): readonly string[] {
  const { parts } = bulk
  const isLimited = parts.some(({ cost_max: share }) => share !== undefined)
  const rows = parts.map(({ relayer_id: relayer, state, instant, counts, cost_max: share, final }) => [
    ...[relayer, state, instant, counts.dropped, counts.racing, counts.won],
    ...[counts.lost + counts.external, counts.refused, ether(counts.cost)],
    ...(isLimited ? [share === undefined ? undefined : etherAtLeast(share)] : []),
    final ? 'yes' : 'no',
  ])
  const head = [
    ...['RELAYER', 'STATE', 'INSTANT', 'DROPPED', 'RACING', 'WON', 'LOST', 'REFUSED', 'COST'],
    ...(isLimited ? ['AT MOST'] : []),
    'FINAL',
  ]
  return [...table(head, rows), ...refusedLines(bulk)]
}

/** One line about how far it is. */
export function progressOf(bulk: BulkView): string {
  const { counts, final, parts } = bulk
  const costMax = costMaxOf(bulk)
  const { dropped, racing, won, lost, external, refused } = counts
  const waiting = parts.filter(({ state }) => state === 'waiting').length
  const taking = parts.filter(({ state }) => state === 'taking').length
  return [
    `${canceledBy(counts)} canceled: ${dropped} dropped, ${racing} racing, ${won} won, ${lost} lost, ${external} external`,
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(waiting > 0 ? [`${waiting} relayers not stopped yet`] : []),
    ...(taking > 0 ? [`${taking} relayers still writing`] : []),
    ...(costMax === undefined ? [] : [`cost ${costOf(bulk)}, at most ${costMax}`]),
    final ? 'final' : `${counts.not_final} not final`,
  ].join('; ')
}

/** For the reader of an exit code that is not 0, and of matches that belong to another cancellation. */
export function warningsOf(bulk: BulkView): readonly string[] {
  const { counts, final, parts } = bulk
  const waiting = parts.filter(({ state }) => state === 'waiting').map(({ relayer_id: id }) => id)
  const gone = counts.lost + counts.external
  return [
    ...(waiting.length > 0 ? [`not stopped yet, and the service goes on trying: ${waiting.join(', ')}`] : []),
    ...(counts.refused > 0 ? [`${counts.refused} matches were not canceled: "rescind bulk show ${bulk.id}"`] : []),
    ...(gone > 0
      ? [`${gone} ended with another transaction in the nonce: "rescind bulk show ${bulk.id} --transactions"`]
      : []),
    ...(counts.already > 0
      ? [
          `${counts.already} matches were canceled before, and are not counted here: their own cancellation has the verdict`,
        ]
      : []),
    ...(final ? [] : ['undecided: not every verdict is final']),
  ]
}
