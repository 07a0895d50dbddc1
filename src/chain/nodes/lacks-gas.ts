// Whether a node refuses a call because its gas is below what any transaction of its form takes.
import type { Answer } from './call.ts'

/** The only place that matches a node's prose on the gas of calls. */
const prose: readonly RegExp[] = [
  /intrinsic gas too low/i, // geth, reth, Erigon
  /intrinsic gas too high|call gas cost .*exceeds the gas limit/i, // anvil
  /requires at least \d+ gas/i, // Hardhat
  /intrinsic gas (?:cost )?exceeds gas limit/i, // Besu
  /gas limit below intrinsic gas/i, // Nethermind
]

export function lacksIntrinsicGas(answer: Answer): boolean {
  return answer.kind === 'rpcError' && prose.some((pattern) => pattern.test(answer.message))
}
