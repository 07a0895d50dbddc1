// A relayer's policies. One that is not enforced here is refused where it is a safety limit, never passed over.
import type { PoliciesConfig } from './config.ts'
import { limits } from './limits.ts'
import { type Members, readMembers } from './members.ts'
import { parseWhitelists } from './parse-whitelists.ts'
import type { Report } from './report.ts'

export const policyMembers = [
  ...['min_balance', 'gas_price_cap', 'cancel_gas_price_cap', 'cancel_reserve', 'max_in_flight', 'eip1559_pricing'],
  ...['whitelist_receivers', 'whitelist_selectors', 'value_cap'],
  ...['private_transactions', 'gas_limit_estimation', 'include_revert_data'],
]

export function parsePolicies(relayer: Members, report: Report): PoliciesConfig {
  const members = readMembers(relayer.raw('policies') ?? {}, relayer.place('policies'), policyMembers, report)
  refuseUnenforced(members, report)
  const gasPriceCap = members.wei('gas_price_cap')
  const cancelGasPriceCap = members.wei('cancel_gas_price_cap')
  const cancelReserve = members.wei('cancel_reserve')
  const valueCap = members.wei('value_cap')
  for (const [name, cap] of Object.entries({ gas_price_cap: gasPriceCap, cancel_gas_price_cap: cancelGasPriceCap })) {
    if (cap === 0n) report.problem(members.place(name), 'is 0, so that nothing could be sent; raise it, or remove it')
  }
  return {
    minBalance: members.wei('min_balance') ?? 0n,
    ...(gasPriceCap !== undefined && { gasPriceCap }),
    ...(cancelGasPriceCap !== undefined && { cancelGasPriceCap }),
    ...(cancelReserve !== undefined && { cancelReserve }),
    maxInFlight: members.count('max_in_flight', { min: 1, max: limits.maxInFlightMax }) ?? limits.maxInFlightDefault,
    eip1559Pricing: members.flag('eip1559_pricing', true),
    ...(!members.flag('gas_limit_estimation', true) && { gasLimitEstimation: false }),
    ...parseWhitelists(members, report),
    ...(valueCap !== undefined && { valueCap }),
  }
}

function refuseUnenforced(members: Members, report: Report): void {
  if (members.flag('private_transactions', false)) {
    report.problem(
      members.place('private_transactions'),
      'is true, and this version sends to the public pool of its nodes only; set it to false if that is acceptable',
    )
  }
  if (members.flag('include_revert_data', false)) {
    report.warn(members.place('include_revert_data'), 'has no effect: a failure is told by its reason alone')
  }
}
