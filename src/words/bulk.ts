// What a bulk cancellation takes, what limits its cost, and why it left a match.
import type { BulkFilterInput, BulkInput, BulkRefusalView, BulkView } from '../client/bulk-types.ts'
import { exactlyInEther } from '../domain/shown-amount.ts'

/** `everything open`, or what a transaction must be to match. */
export function filterWords(filter: BulkFilterInput | BulkView['filter']): string {
  const { ids, to, selector, tag, created_to: createdTo, older_than: older, newer_than: newer, status } = filter
  const { value_from: valueFrom, value_to: valueTo, nonce_from: nonceFrom, nonce_to: nonceTo } = filter
  const words = [
    ids && (ids.length === 1 ? 'one transaction' : `${ids.length} transactions by id`),
    to && `to ${to}`,
    selector && `selector ${selector}`,
    tag && `tag ${[tag].flat().join(' or ')}`,
    createdTo && `created until ${createdTo}`,
    older && `older than ${older}`,
    newer && `newer than ${newer}`,
    status?.join(' or '),
    valueFrom && `value from ${amount(valueFrom)}`,
    valueTo && `value to ${amount(valueTo)}`,
    nonceFrom !== undefined && `nonce from ${nonceFrom}`,
    nonceTo !== undefined && `nonce to ${nonceTo}`,
  ].filter((each) => typeof each === 'string')
  return words.length === 0 ? 'everything open' : words.join(', ')
}

/** Empty without a limit. */
export function limitWords({ only, max_cost: cost }: Pick<BulkInput, 'only' | 'max_cost'>): readonly string[] {
  return [...(only ? ['only free ones'] : []), ...(cost === undefined ? [] : [`at most ${amount(cost)}`])]
}

/** Of a match that was not taken. The service's text has the error of a row that is unreadable. */
export function refusalWords({ needs, cost, left, message }: BulkRefusalView): string {
  if (needs === undefined) return message
  const what =
    needs === 'no_op' ? 'needs a no-op, as a node may have it' : 'would leave a nonce that needs a gap filler'
  const most = cost === undefined ? '' : `, for up to ${amount(cost)}`
  return `${what}${most}${left === undefined ? '' : `; ${amount(left)} of the limit were left`}`
}

/** Every digit. A text that is no amount is shown as it is: the service refuses it. */
function amount(wei: string): string {
  return /^\d+$/.test(wei) ? exactlyInEther(BigInt(wei)) : wei
}
