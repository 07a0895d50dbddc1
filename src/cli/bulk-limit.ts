// The options that limit the cost of a bulk cancellation, and what the limit left, for people.
import { type Command, Option } from 'commander'
import type { BulkInput, BulkView } from '../client/client.ts'
import { type Cell, ether, etherAtLeast, parseAmount, table } from './format.ts'

/** As commander names them. */
export interface BulkLimitOptions {
  readonly only?: 'free'
  readonly maxCost?: string
}

export type BulkLimit = Pick<BulkInput, 'only' | 'max_cost'>

export function addBulkLimit(command: Command): Command {
  return command
    .addOption(new Option('--only <what>', 'only those whose cancellation costs nothing').choices(['free']))
    .option('--max-cost <amount>', 'what all no-ops may cost together, such as 0.1ether', (text) =>
      parseAmount('--max-cost', text),
    )
}

export function bulkLimitOf({ only, maxCost }: BulkLimitOptions): BulkLimit {
  return { ...(only !== undefined && { only }), ...(maxCost !== undefined && { max_cost: maxCost }) }
}

/** Undefined without a limit. */
export function limitWords({ only, max_cost: maxCost }: BulkLimit): string | undefined {
  const words = [only && 'only free ones', maxCost && `at most ${ether(maxCost)}`].filter(
    (each) => typeof each === 'string',
  )
  return words.length === 0 ? undefined : words.join(', ')
}

type Refusal = BulkView['parts'][number]['refused'][number]

const titles: Readonly<Record<Refusal['reason'], string>> = {
  costs: 'refused: not free',
  beyond_max_cost: 'refused: costs more than was left',
  not_in_preview: 'refused: not in the preview',
  beyond_shown_no_ops: 'refused: more no-ops than the preview showed',
  beyond_shown_cost: 'refused: costs more than the preview showed',
  unreadable: 'refused: its row is unreadable',
}

/** The number of refused matches for each reason. */
export function refusedPairs({ parts }: BulkView): readonly (readonly [string, Cell])[] {
  const refused = parts.flatMap((part) => part.refused)
  return Object.entries(titles).map(([reason, title]) => [
    title,
    refused.filter((each) => each.reason === reason).length || undefined,
  ])
}

/** One line for each refused match. */
export function refusedLines({ parts }: BulkView): readonly string[] {
  const rows = parts.flatMap((part) =>
    part.refused.map((each) => [each.transaction_id, part.relayer_id, each.reason, refusalWords(each)]),
  )
  return rows.length === 0 ? [] : ['', ...table(['REFUSED', 'RELAYER', 'REASON', 'WHY'], rows)]
}

function refusalWords({ reason, needs, cost, left, message }: Refusal): string {
  // The service's text has the error of the row.
  if (needs === undefined) return message
  const what = needs === 'no_op' ? 'it needs a no-op, as a node may have it' : 'its nonce would need a gap filler'
  return [
    `${what}${cost === undefined ? '' : `, for up to ${etherAtLeast(cost)}`}`,
    ...(left === undefined
      ? []
      : [`${ether(left)} ${reason === 'beyond_shown_cost' ? 'of the preview' : 'of the limit'} were left`]),
  ].join('; ')
}
