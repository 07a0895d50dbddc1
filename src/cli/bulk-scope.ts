// The relayers, the filter, the pause and the limit of a bulk cancellation, from the options of a command.
import type { BulkInput } from '../client/client.ts'
import { type BulkFilterOptions, bulkFilterOf } from './bulk-filter.ts'
import { type BulkLimit, type BulkLimitOptions, bulkLimitOf } from './bulk-limit.ts'
import { usage } from './exits.ts'

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
