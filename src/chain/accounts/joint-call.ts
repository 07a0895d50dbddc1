// Reads balances and delegations of many accounts in one eth_call. This needs no contract: the call's data is creation
// code, which runs without being stored, and the code that it would deploy is the answer.
import type { Address } from '../../domain/ids.ts'
import type { BlockNumber, Wei } from '../../domain/units.ts'
import type { Answer, Call } from '../nodes/call.ts'
import { toHex } from '../nodes/decode.ts'

export interface BalanceAndCode {
  readonly balance: Wei
  readonly delegated: boolean
}

/**
 * Limit of addresses in one call. They take 2.5 million gas (geth lets an eth_call use 50 million, and EIP-7825 a transaction 16.7), including 200 for
 * each byte that would be deployed. They take 5 kB of data (EIP-3860: 49,152) and 8 kB of answer (EIP-170: 24,576).
 */
export const jointMax = 256

/**
 * Returns a word for each address that follows this code: twice the balance, plus one where the account's code begins
 * with EIP-7702's prefix. The first byte of a balance is 0, so no node refuses the answer under EIP-3541.
 */
export const jointCode = `0x${[
  '6000', //                    p: where the next word goes
  '6039', //                 p, a: where the next address stands in this code, 57 bytes long
  '5b', //
  '60148183600c0139', //     p, a                      memory[p + 12 .. p + 32] = the address
  '8151', //                 p, a, address
  '6003600084833c', //       p, a, address             memory[p .. p + 3] = how its code begins
  '3160011b', //             p, a, balance * 2
  '825160e81c62ef01001417', // p, a, word              one more where that is 0xef0100
  '8252', //                 p, a                      memory[p .. p + 32] = word
  '60140190602001903881', // p, a, size of this code, a     each of them moved on
  '10600457', //             p, a                      again while a < size
  '506000f3', //                                       return memory[0 .. p]
].join('')}` as const

/** `addresses`: at least one, at most `jointMax`. */
export function jointCall(addresses: readonly Address[], block: BlockNumber): Call {
  const data = `${jointCode}${addresses.map((address) => address.slice(2).toLowerCase()).join('')}`
  return { method: 'eth_call', params: [{ data }, toHex(block)], shapedBy: 'service' }
}

/** Balances and codes in the order of the addresses. Undefined unless the node returned exactly one word for each. */
export function balancesAndCodesIn(
  answer: Answer,
  addresses: readonly Address[],
): readonly BalanceAndCode[] | undefined {
  if (answer.kind !== 'value' || typeof answer.value !== 'string') return undefined
  if (answer.value.length !== 2 + 64 * addresses.length || !/^0x[0-9a-f]+$/i.test(answer.value)) return undefined
  const words = answer.value.slice(2).match(/.{64}/g) ?? []
  return words.map((word) => {
    const packed = BigInt(`0x${word}`)
    return { balance: packed >> 1n, delegated: (packed & 1n) === 1n }
  })
}
