// The options of bulk cancellations: their relayers, their filter, and the bound of their cost.

import { type Command, Option } from 'commander'
import type { BulkInput, BulkView } from '../client/client.ts'
import { defined } from '../domain/defined.ts'
import { refusalWords } from '../words/bulk.ts'
import { address, collect, wholeNumber } from './command.ts'
import { usage } from './exits.ts'
import { type Cell, parseAmount, table } from './format.ts'
import { moment } from './list-filter.ts'

export interface BulkScopeOptions extends BulkFilterOptions, BulkLimitOptions {
  readonly relayer?: readonly string[]
  readonly all?: true
  readonly pause?: true
}

export function scopeOf(options: BulkScopeOptions): Pick<BulkInput, 'filter' | 'relayers' | 'pause'> & BulkLimit {
  const { relayer: named = [], all } = options
  if (all && named.length > 0) throw usage('give --relayer or --all, not both')
  if (!all && named.length === 0) throw usage('name relayers with --relayer, or take all of them with --all')
  return {
    filter: bulkFilterOf(options),
    relayers: all ? 'all' : named,
    ...(options.pause && { pause: true }),
    ...bulkLimitOf(options),
  }
}

type Filter = BulkInput['filter']

/** The options as commander names them. */
interface BulkFilterOptions {
  readonly id?: readonly string[]
  readonly to?: string
  readonly selector?: string
  readonly tag?: readonly string[]
  readonly createdTo?: string
  readonly olderThan?: string
  readonly newerThan?: string
  readonly status?: NonNullable<Filter['status']>
  readonly valueFrom?: string
  readonly valueTo?: string
  readonly nonceFrom?: number
  readonly nonceTo?: number
}

export function addBulkFilter(command: Command): Command {
  const amount = (option: string) => (text: string) => parseAmount(option, text)
  return command
    .option('--id <ids>', 'these transactions; several with commas', collect)
    .option('--to <address>', 'those to this receiver', address('--to'))
    .option('--selector <hex>', 'those that call this function: 0x and 8 hex digits', selector)
    .option('--tag <tags>', 'those with one of these tags; several with commas', collect)
    .option('--created-to <time>', 'created at this time or earlier: 24h (ago), or RFC 3339', moment('--created-to'))
    .option('--older-than <duration>', 'created so long ago or earlier, such as 10m', duration('--older-than'))
    .option('--newer-than <duration>', 'created later than so long ago', duration('--newer-than'))
    .addOption(new Option('--status <status...>', 'those with one of these').choices(['pending', 'sent', 'submitted']))
    .option('--value-from <amount>', 'the smallest value, such as 1.5ether', amount('--value-from'))
    .option('--value-to <amount>', 'the largest value', amount('--value-to'))
    .option('--nonce-from <number>', 'the lowest nonce', wholeNumber('--nonce-from', 0))
    .option('--nonce-to <number>', 'the highest nonce', wholeNumber('--nonce-to', 0))
}

function bulkFilterOf(options: BulkFilterOptions): Filter {
  const { id, to, selector, tag, createdTo, olderThan, newerThan, status } = options
  const { valueFrom, valueTo, nonceFrom, nonceTo } = options
  if (id?.length === 0) throw usage('--id names no transaction')
  if (tag?.length === 0) throw usage('--tag names no tag')
  return {
    ...defined({
      ids: id,
      to,
      selector,
      tag,
      created_to: createdTo,
      older_than: olderThan,
      newer_than: newerThan,
      status,
      value_from: valueFrom,
      value_to: valueTo,
      nonce_from: nonceFrom,
      nonce_to: nonceTo,
    }),
  }
}

function selector(text: string): string {
  if (/^0x([0-9a-fA-F]{8})?$/.test(text)) return text
  throw usage(`--selector: "${text}" is no selector; write 0x and 8 hex digits, or 0x for calls without data`)
}

function duration(option: string): (text: string) => string {
  return (text) => {
    if (/^[1-9]\d{0,7}[smhd]$/.test(text)) return text
    throw usage(`${option}: "${text}" is no duration; write 90s, 10m, 24h or 7d`)
  }
}

// The options that limit the cost of a bulk cancellation, and what the limit left, for people.

/** The options as commander names them. */
export interface BulkLimitOptions {
  readonly only?: 'free'
  readonly maxCost?: string
}

type BulkLimit = Pick<BulkInput, 'only' | 'max_cost'>

export function addBulkLimit(command: Command): Command {
  return command
    .addOption(new Option('--only <what>', 'only those whose cancellation costs nothing').choices(['free']))
    .option('--max-cost <amount>', 'what all no-ops may cost together, such as 0.1ether', (text) =>
      parseAmount('--max-cost', text),
    )
}

export function bulkLimitOf({ only, maxCost }: BulkLimitOptions): BulkLimit {
  return { ...defined({ only, max_cost: maxCost }) }
}

type Refusal = BulkView['parts'][number]['refused'][number]

const titles: Readonly<Record<Refusal['reason'], string>> = {
  costs: 'refused: not free',
  beyond_max_cost: 'refused: costs more than was left',
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
