// Checks a payload against a relayer's policies, whoever priced it: at acceptance, and again before it gets a nonce,
// since the policies may have changed in between.
import type { Address, Hex } from './ids.ts'
import type { Policies } from './policy-table.ts'
import type { Relayer } from './relayer.ts'
import { exactlyInEther } from './shown-amount.ts'
import type { Payload } from './transaction.ts'

type Forbiddable = Pick<Payload, 'to' | 'value' | 'data'>

/** The field, its value, the policy and the fix; undefined if no policy forbids it. */
export function forbids(relayer: Pick<Relayer, 'address' | 'policies'>, payload: Forbiddable): string | undefined {
  const { policies } = relayer
  const { to, value, data } = payload
  return forbiddenReceiver(relayer, payload) ?? forbiddenCall(policies, to, data) ?? forbiddenValue(policies, value)
}

function forbiddenReceiver(
  { address, policies: { whitelistReceivers } }: Pick<Relayer, 'address' | 'policies'>,
  { to, data }: Forbiddable,
): string | undefined {
  if (whitelistReceivers === undefined) return undefined
  if (to === undefined) {
    return 'to: is missing, and whitelist_receivers of the relayer can name no contract that is yet to be created; create it through another relayer'
  }
  if (whitelistReceivers.some((receiver) => same(receiver, to))) return undefined
  if (same(address, to)) {
    // Without data it moves nothing. With data it would call the code that a delegation (EIP-7702) gives the account.
    if (isEmpty(data)) return undefined
    return `data: is not empty, and to is the relayer's own address, which is not among its whitelist_receivers; send no data there, or have the address added`
  }
  if (whitelistReceivers.length === 0) {
    return `to: ${to} may not receive, since whitelist_receivers of the relayer is empty, so that sends may go to nobody; have the address added`
  }
  return `to: ${to} is not among whitelist_receivers of the relayer; send to one of them, or have it added`
}

function forbiddenCall({ whitelistSelectors }: Policies, to: Address | undefined, data: Hex): string | undefined {
  const allowed = whitelistSelectors?.find(({ receiver }) => to !== undefined && same(receiver, to))
  if (!allowed) return undefined
  const selector = data.slice(0, 10).toLowerCase()
  if (allowed.selectors.some((each) => each.toLowerCase() === selector)) return undefined
  const called = selector === '0x' ? 'a plain transfer ("0x")' : `function ${selector}`
  const choice = listed(allowed.selectors)
  return `data: calls ${called} of ${to}, and whitelist_selectors of the relayer allows ${choice} there; call one of these, or have it added`
}

function forbiddenValue({ valueCap }: Policies, value: bigint): string | undefined {
  if (valueCap === undefined || value <= valueCap) return undefined
  return `value: ${exactlyInEther(value)} is above the relayer's value_cap of ${exactlyInEther(valueCap)}; send less, or in parts`
}

const listedMax = 8

function listed(selectors: readonly Hex[]): string {
  const more = selectors.length > listedMax ? ` and ${selectors.length - listedMax} more` : ''
  return selectors.length === 0 ? 'nothing' : `${selectors.slice(0, listedMax).join(', ')}${more}`
}

function isEmpty(data: Hex): boolean {
  return data.length <= '0x'.length
}

function same(one: Address, other: Address): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
