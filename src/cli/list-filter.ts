// The options that narrow a list of transactions.

import { type Command, Option } from 'commander'
import type { TransactionFilterInput } from '../client/client.ts'
import { defined } from '../domain/defined.ts'
import { systemClock } from '../ops/clock.ts'
import { wholeNumber } from './command.ts'
import { usage } from './exits.ts'
import { parseAmount } from './format.ts'

/** The options as commander names them. */
export interface FilterOptions {
  readonly status?: NonNullable<TransactionFilterInput['status']>
  readonly verdict?: NonNullable<TransactionFilterInput['verdict']>
  readonly to?: string
  readonly nonceFrom?: number
  readonly nonceTo?: number
  readonly createdFrom?: string
  readonly createdTo?: string
  readonly valueFrom?: string
  readonly valueTo?: string
  readonly text?: string
  readonly externalId?: string
  readonly tag?: string
  readonly before?: string
}

const statuses = ['pending', 'sent', 'submitted', 'mined', 'confirmed', 'failed', 'canceled', 'expired']
const verdicts = ['racing', 'dropped', 'won', 'lost', 'external']
const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export function addFilterOptions(command: Command): Command {
  const amount = (option: string) => (text: string) => parseAmount(option, text)
  const nonce = (option: string) => wholeNumber(option, 0)
  return command
    .addOption(new Option('--status <status>', 'only those with this status').choices(statuses))
    .addOption(new Option('--verdict <verdict>', 'only canceled ones whose cancellation stands so').choices(verdicts))
    .option('--to <address>', 'only those to this receiver')
    .option('--nonce-from <number>', 'the lowest nonce', nonce('--nonce-from'))
    .option('--nonce-to <number>', 'the highest nonce', nonce('--nonce-to'))
    .option('--created-from <time>', 'created at this time or later: 24h (ago), or RFC 3339', moment('--created-from'))
    .option('--created-to <time>', 'created at this time or earlier', moment('--created-to'))
    .option('--value-from <amount>', 'the smallest value, such as 1.5ether', amount('--value-from'))
    .option('--value-to <amount>', 'the largest value', amount('--value-to'))
    .option('--text <text>', 'the beginning of an id or, with 0x, of a hash')
    .option('--external-id <id>', 'only those with this external id')
    .option('--tag <tag>', 'only those with this tag')
    .option('--before <position>', 'go on where an earlier list ended, or after the transaction with this id')
}

export function filterOf(options: FilterOptions): TransactionFilterInput {
  const {
    externalId,
    tag,
    status,
    verdict,
    to,
    text,
    before,
    nonceFrom,
    nonceTo,
    createdFrom,
    createdTo,
    valueFrom,
    valueTo,
  } = options
  return {
    ...defined({
      status,
      verdict,
      to,
      nonce_from: nonceFrom,
      nonce_to: nonceTo,
      created_from: createdFrom,
      created_to: createdTo,
      value_from: valueFrom,
      value_to: valueTo,
      text,
      external_id: externalId,
      tag,
      before,
    }),
  }
}

export function moment(option: string): (text: string) => string {
  return (text) => timeOf(option, text)
}

/** `24h` is so long ago. Anything else goes to the service, which says how a time is written. */
function timeOf(option: string, text: string): string {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count === '') {
    if (/^\d{4}-/.test(text)) return text
    throw usage(`${option}: "${text}" is no time; write 30m, 24h or 7d (ago), or 2030-01-31T12:00:00Z`)
  }
  const ms = unit === 's' || unit === 'm' || unit === 'h' || unit === 'd' ? units[unit] : 0
  return new Date(systemClock.now() - Number(count) * ms).toISOString()
}
