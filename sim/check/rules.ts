// The policies of a relayer, read from their documentation and without the code of the engine.
import type { Policies } from '../../src/domain/policy-table.ts'
import type { SendRequest } from '../../src/domain/submit.ts'

const amounts = [
  'minBalance',
  'lowBalance',
  'gasPriceCap',
  'cancelGasPriceCap',
  'cancelReserve',
  'valueCap',
  'holdAboveValue',
]

/** Policies as the relayer's row stores them. */
export function rulesOf(json: string): Policies {
  return JSON.parse(json, (name, value) => (amounts.includes(name) ? BigInt(value) : value)) as Policies
}

/** The policy that forbids the payload, without its price. Undefined: none. */
export function forbiddenBy(rules: Policies, { to = '0x', value, data }: SendRequest): string | undefined {
  const receiver = to.toLowerCase()
  const { whitelistReceivers, whitelistSelectors, valueCap } = rules
  if (whitelistReceivers && !whitelistReceivers.some((each) => each.toLowerCase() === receiver)) {
    return `whitelist_receivers forbids ${receiver}`
  }
  const calls = whitelistSelectors?.find((each) => each.receiver.toLowerCase() === receiver)
  if (calls && !calls.selectors.includes(data.slice(0, 10) as `0x${string}`))
    return 'whitelist_selectors forbids its call'
  return valueCap !== undefined && value > valueCap ? `value_cap of ${valueCap} forbids ${value}` : undefined
}

/** The most that the client lets a unit of gas cost; 0: it names a speed. */
export function namedPrice({ pricing }: Pick<SendRequest, 'pricing'>): bigint {
  return pricing.kind === 'legacy' ? pricing.gasPrice : pricing.kind === 'eip1559' ? pricing.maxFeePerGas : 0n
}

/** The policy that forbids to accept it. Undefined: none. */
export function refusedBy(rules: Policies, request: SendRequest): string | undefined {
  const { gasLimit } = request
  const { gasPriceCap, gasLimitEstimation } = rules
  const price = namedPrice(request)
  if (gasPriceCap !== undefined && price > gasPriceCap) return `gas_price_cap of ${gasPriceCap} forbids ${price}`
  if (gasLimit === undefined && gasLimitEstimation === false) return 'gas_limit_estimation is off, and it names no gas'
  return forbiddenBy(rules, request)
}
