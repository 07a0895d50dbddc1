// Code where there is none: a contract's, or the delegation of an account.
import { jointCode } from '../../src/chain/accounts/joint-call.ts'
import type { Lie } from './lie.ts'

const delegation = `0xef0100${'de'.repeat(20)}`
const contract = '0x6001600055'

export const inventedCode: Lie = (_world, _node, { method, params }, honest, dice) => {
  if (method === 'eth_getCode') return { ...honest, result: dice.pick([delegation, contract]) }
  if (method !== 'eth_call' || typeof honest.result !== 'string') return honest
  if (!(params[0] as { readonly data: string }).data.startsWith(jointCode)) return honest
  // The lowest bit of an account's word says that it delegates.
  const words = (honest.result.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`) | 1n)
  return { ...honest, result: `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}` }
}
