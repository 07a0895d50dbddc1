// Reads the prices of gas that forks change, by their effect: no name of a fork and no date proves which of them a chain has.
import { type GasFigure, type GasFigures, lowBaseGas, newAccountGas, transferGas } from '../../domain/gas-figures.ts'
import type { Address, Hash, Hex } from '../../domain/ids.ts'
import type { Gas } from '../../domain/units.ts'
import { enoughOf } from '../../domain/witness.ts'
import type { Answer, Call, SendCall } from '../nodes/call.ts'
import { toHex, toNumber } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'

/** An address for which nobody has a key. */
export const codeless = '0x000000000000000000000000000000000000dead'

interface GasReading {
  readonly figures: readonly GasFigure[]
  /** Pays for the estimate of a new account: a value without funds is not estimated. */
  readonly payer: Address
  /** Gives the address of that account, which nobody can create in advance. */
  readonly head: Hash
}

interface FiguresRead {
  /** Shown alike by two providers, or by the only one. */
  readonly agreed: GasFigures
  /** Shown differently by two providers. */
  readonly disputed: readonly GasFigure[]
}

/** Never rejects. */
export async function readGasFigures(
  endpoints: readonly Endpoint[],
  providers: number,
  reading: GasReading,
): Promise<FiguresRead> {
  const enough = enoughOf(providers)
  const shown = new Map<string, GasFigures>()
  const valuesOf = (figure: GasFigure) => [...shown.values()].flatMap(({ [figure]: value }) => value ?? [])
  for (const { provider, call, ready } of endpoints) {
    if (reading.figures.every((figure) => valuesOf(figure).length >= enough)) break
    if (shown.has(provider) || (await ready()) !== undefined) continue
    shown.set(provider, await gasFiguresBy(call, reading))
  }
  const complete = reading.figures.filter((figure) => valuesOf(figure).length >= enough)
  const disputed = complete.filter((figure) => new Set(valuesOf(figure)).size > 1)
  const agreed = complete.filter((figure) => !disputed.includes(figure))
  return { agreed: Object.fromEntries(agreed.map((figure) => [figure, valuesOf(figure)[0]])), disputed }
}

/** The figures by one node. */
export async function gasFiguresBy(call: SendCall, { figures, payer, head }: GasReading): Promise<GasFigures> {
  const [base, floor, newAccount] = await Promise.all([
    figures.includes('base') ? readBase(call) : undefined,
    figures.includes('floor') ? readFloor(call) : undefined,
    figures.includes('newAccount') ? readNewAccount(call, payer, head) : undefined,
  ])
  return {
    ...(base !== undefined && { base }),
    ...(floor !== undefined && { floor }),
    ...(newAccount !== undefined && { newAccount }),
  }
}

/** An estimate of it is no reading: geth's is always 21,000. */
async function readBase(call: SendCall): Promise<GasFigures['base']> {
  const withGas = (gas: Gas): Call => ({
    method: 'eth_call',
    params: [{ from: codeless, to: codeless, gas: toHex(gas) }, 'latest'],
  })
  const [low, lower] = await Promise.all([call(withGas(lowBaseGas)), call(withGas(lowBaseGas - 1))])
  if (!lacksIntrinsicGas(lower)) return undefined
  if (low.kind === 'value') return lowBaseGas
  return lacksIntrinsicGas(low) ? transferGas : undefined
}

const zeroBytes = 1_000

/** The gas of so many bytes, by each base and floor; a floor of 0 is the 4 gas of EIP-2028. */
const estimatesOfFloor: readonly (readonly [gas: Gas, floor: NonNullable<GasFigures['floor']>])[] = [
  lowBaseGas,
  transferGas,
].flatMap((base) => [
  [base + 4 * zeroBytes, 0] as const,
  [base + 10 * zeroBytes, 10] as const,
  [base + 64 * zeroBytes, 64] as const,
])

async function readFloor(call: SendCall): Promise<GasFigures['floor']> {
  const data: Hex = `0x${'00'.repeat(zeroBytes)}`
  const gas = await estimate(call, { from: codeless, to: codeless, data })
  return gas === undefined ? undefined : estimatesOfFloor.find(([exact]) => isEstimateOf(exact, gas))?.[1]
}

async function readNewAccount(call: SendCall, payer: Address, head: Hash): Promise<Gas | undefined> {
  const gas = await estimate(call, { from: payer, to: head.slice(0, 42), value: '0x1' })
  if (gas === undefined || gas < transferGas) return undefined
  if (isEstimateOf(transferGas, gas)) return 0
  if (isEstimateOf(transferGas + newAccountGas, gas)) return newAccountGas
  // Another price, without the part of an estimate that may be too much.
  return Math.floor(gas / (1 + excess)) - transferGas
}

/** geth estimates up to 1.5 percent too much. */
const excess = 0.02

function isEstimateOf(exact: Gas, gas: Gas): boolean {
  return gas >= exact && gas <= exact * (1 + excess)
}

async function estimate(call: SendCall, transaction: object): Promise<Gas | undefined> {
  const answer = await call({ method: 'eth_estimateGas', params: [transaction], shapedBy: 'service' })
  return answer.kind === 'value' ? toNumber(answer.value) : undefined
}

/** The only place that matches a node's prose on the gas of calls. */
const prose: readonly RegExp[] = [
  /intrinsic gas too low/i, // geth, reth, Erigon
  /intrinsic gas too high|call gas cost .*exceeds the gas limit/i, // anvil
  /requires at least \d+ gas/i, // Hardhat
  /intrinsic gas (?:cost )?exceeds gas limit/i, // Besu
  /gas limit below intrinsic gas/i, // Nethermind
]

/** Whether a node refuses a call because its gas is below what any transaction of its form takes. */
function lacksIntrinsicGas(answer: Answer): boolean {
  return answer.kind === 'rpcError' && prose.some((pattern) => pattern.test(answer.message))
}
