// Finds how a client's pool compares a replacement with the transaction it holds, from the client's own name.
import { type ReplacementRule, strictestRule } from '../../domain/fees.ts'

const fields: ReplacementRule = { measure: 'fields', percent: 10n }

/**
 * Profiles by the first part of `web3_clientVersion`, in lower case. geth `core/txpool/legacypool/list.go`, reth
 * `crates/transaction-pool`, Erigon `txnprovider/txpool/pool.go` and Nethermind's `CompareReplacedTxByFee` compare fee
 * cap and tip separately; anvil and Hardhat demand no more. Besu compares effective prices: the strictest rule.
 */
const rules: Readonly<Record<string, ReplacementRule>> = {
  geth: fields,
  reth: fields,
  erigon: fields,
  nethermind: fields,
  anvil: fields,
  hardhatnetwork: fields,
  besu: strictestRule,
}

/** `clientVersion` as the node returns it, for example `Geth/v1.17.0-stable/linux-amd64/go1.25`. */
export function replacementRuleOf(clientVersion: unknown): ReplacementRule {
  if (typeof clientVersion !== 'string') return strictestRule
  const name = clientVersion.split('/')[0]?.trim().toLowerCase() ?? ''
  return Object.hasOwn(rules, name) ? (rules[name] ?? strictestRule) : strictestRule
}
