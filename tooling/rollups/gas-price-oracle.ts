// The OP stack's gas price oracle, as far as a relayer reads it: the L1 fee of some bytes, and its upper bound for a size.
//
// GasPriceOracle.sol of the OP stack adds 68 bytes for a signature to what it is given, and its bound (Fjord) is a 255th
// and 16 bytes above that. Its price follows L1 and a compression; here it is so many wei a byte, in slot 0.
import type { Hex } from 'viem'
import { hex } from '../ledger.ts'
import type { NodeBehind } from './node-behind.ts'

export const oracleAddress: Hex = '0x420000000000000000000000000000000000000F'

const code = [
  // The selector, on the stack.
  ['6000', '35', '60e0', '1c'], // 00: PUSH 0, CALLDATALOAD, PUSH 224, SHR
  // getL1Fee(bytes)?
  ['80', '6349948e0e', '14', '601c', '57'], // 06: DUP1, PUSH its selector, EQ, PUSH 0x1c, JUMPI
  // getL1FeeUpperBound(uint256)?
  ['63f1c7a58b', '14', '602a', '57'], // 10: PUSH its selector, EQ, PUSH 0x2a, JUMPI
  ['5f', '5f', 'fd'], // 19: PUSH 0, PUSH 0, REVERT
  // The length of the bytes, and 68.
  ['5b', '6004', '35', '6004', '01', '35', '6044', '01', '603a', '56'], // 1c: … ADD, PUSH 0x3a, JUMP
  // The given size s and 68, plus a 255th, plus 16.
  ['5b', '6004', '35', '6044', '01', '80', '60ff', '90', '04', '01', '6010', '01'], // 2a: … DUP1, PUSH 255, SWAP1, DIV, ADD, …
  // Times the price.
  ['5b', '5f', '54', '02', '5f', '52', '6020', '5f', 'f3'], // 3a: SLOAD 0, MUL, MSTORE at 0, RETURN 32 bytes
].flat()

export async function deployOracle(node: NodeBehind, weiPerByte: bigint): Promise<void> {
  await node.value('anvil_setCode', [oracleAddress, `0x${code.join('')}`])
  await setL1Price(node, weiPerByte)
}

export async function setL1Price(node: NodeBehind, weiPerByte: bigint): Promise<void> {
  const word = weiPerByte.toString(16).padStart(64, '0')
  await node.value('anvil_setStorageAt', [oracleAddress, hex(0), `0x${word}`])
}
