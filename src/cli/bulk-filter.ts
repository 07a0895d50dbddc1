// The options that say which transactions a bulk cancellation takes.
import { type Command, Option } from 'commander'
import type { BulkInput } from '../client/client.ts'
import { usage } from './exits.ts'
import { ether, parseAmount } from './format.ts'
import { address, collect, wholeNumber } from './options.ts'

type Filter = BulkInput['filter']

/** As commander names them. */
export interface BulkFilterOptions {
  readonly id?: readonly string[]
  readonly to?: string
  readonly selector?: string
  readonly tag?: readonly string[]
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
    .option('--older-than <duration>', 'created so long ago or earlier, such as 10m', duration('--older-than'))
    .option('--newer-than <duration>', 'created later than so long ago', duration('--newer-than'))
    .addOption(new Option('--status <status...>', 'those with one of these').choices(['pending', 'sent', 'submitted']))
    .option('--value-from <amount>', 'the smallest value, such as 1.5ether', amount('--value-from'))
    .option('--value-to <amount>', 'the largest value', amount('--value-to'))
    .option('--nonce-from <number>', 'the lowest nonce', wholeNumber('--nonce-from', 0))
    .option('--nonce-to <number>', 'the highest nonce', wholeNumber('--nonce-to', 0))
}

export function bulkFilterOf(options: BulkFilterOptions): Filter {
  const { id, to, selector, tag, olderThan, newerThan, status, valueFrom, valueTo, nonceFrom, nonceTo } = options
  if (id?.length === 0) throw usage('--id names no transaction')
  if (tag?.length === 0) throw usage('--tag names no tag')
  return {
    ...(id && { ids: id }),
    ...(to !== undefined && { to }),
    ...(selector !== undefined && { selector }),
    ...(tag && { tag }),
    ...(olderThan !== undefined && { older_than: olderThan }),
    ...(newerThan !== undefined && { newer_than: newerThan }),
    ...(status && { status }),
    ...(valueFrom !== undefined && { value_from: valueFrom }),
    ...(valueTo !== undefined && { value_to: valueTo }),
    ...(nonceFrom !== undefined && { nonce_from: nonceFrom }),
    ...(nonceTo !== undefined && { nonce_to: nonceTo }),
  }
}

/** For people: `everything open`, or what a transaction must be to match. */
export function filterWords(filter: Filter): string {
  const { ids, to, selector, tag, older_than: older, newer_than: newer, status } = filter
  const { value_from: valueFrom, value_to: valueTo, nonce_from: nonceFrom, nonce_to: nonceTo } = filter
  const words = [
    ids && `one of ${ids.length} ids`,
    to && `to ${to}`,
    selector && `selector ${selector}`,
    tag && `tag ${[tag].flat().join(' or ')}`,
    older && `older than ${older}`,
    newer && `newer than ${newer}`,
    status?.join(' or '),
    valueFrom && `value from ${ether(valueFrom)}`,
    valueTo && `value to ${ether(valueTo)}`,
    nonceFrom !== undefined && `nonce from ${nonceFrom}`,
    nonceTo !== undefined && `nonce to ${nonceTo}`,
  ].filter((each) => typeof each === 'string')
  return words.length === 0 ? 'everything open' : words.join(', ')
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
