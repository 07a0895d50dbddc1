// What one node can do, and whether it fits its network: read only.
import { gasFiguresBy } from '../../chain/fees/read-gas-figures.ts'
import { type Answer, describeAnswer } from '../../chain/nodes/call.ts'
import { callAlone } from '../../chain/nodes/call-alone.ts'
import { toBigInt, toHead, toHex, toNumber } from '../../chain/nodes/decode.ts'
import { makeBy } from '../../chain/nodes/read-shown.ts'
import { openTransport, type Transport } from '../../chain/nodes/transport.ts'
import { describeFigures, figureNames, gasFigures, transferGas } from '../../domain/gas-figures.ts'
import type { Address } from '../../domain/ids.ts'
import { isMakeUnknown, type ShownMake } from '../../domain/network-profiles.ts'
import type { Head } from '../../domain/observation.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import type { EndpointSettings, NetworkSettings } from '../../domain/settings.ts'
import { inGwei } from '../../domain/shown-amount.ts'
import { minWei } from '../../domain/units.ts'
import { systemClock } from '../../ops/clock.ts'
import { memberOf } from '../../ops/member.ts'
import type { Finding } from './finding.ts'

interface EndpointCheck {
  readonly place: string
  readonly network: CheckedNetwork
  readonly endpoint: EndpointSettings
  /** The account of a relayer on the network. */
  readonly address: Address | undefined
  readonly timeoutMs: number
}

type CheckedNetwork = Pick<
  NetworkSettings,
  'chainId' | 'averageBlockTimeMs' | 'isBlockTimeGiven' | 'profile' | 'profileBasis' | 'profileInFile' | 'tags'
>
type Found = Pick<Finding, 'level' | 'text'>
type CallNode = (method: string, ...params: readonly unknown[]) => Promise<Answer>

const nobody: Address = '0x0000000000000000000000000000000000000001'

export async function checkEndpoint(options: EndpointCheck): Promise<readonly Finding[]> {
  const { place, network, endpoint, address: account = nobody, timeoutMs } = options
  const { url, headers } = endpoint
  const transport = openTransport({ url: url.reveal(), ...(headers && { headers }), clock: systemClock, timeoutMs })
  const call: CallNode = (method, ...params) => callAlone(transport, { method, params })
  try {
    const id = await call('eth_chainId')
    const found = chainIdFound(id, network.chainId)
    const first: Finding = { place, check: 'chain id', ...found }
    if (found.level === 'error') return [first]
    const noOp = { from: account, to: account, value: '0x0', data: '0x' }
    const shown = isMakeUnknown(network) && (await makeBy((each) => callAlone(transport, each)))
    const [version, latest, pending, gas, safe, finalized, tip, history] = await Promise.all([
      call('web3_clientVersion'),
      call('eth_getBlockByNumber', 'latest', false),
      call('eth_getTransactionCount', account, 'pending'),
      call('eth_estimateGas', noOp),
      call('eth_getBlockByNumber', 'safe', false),
      call('eth_getBlockByNumber', 'finalized', false),
      call('eth_maxPriorityFeePerGas'),
      call('eth_feeHistory', toHex(historyBlocks), 'latest', [0]),
    ])
    const head = latest.kind === 'value' ? toHead(latest.value) : undefined
    const far = head && (await blockBefore(call, head))
    const figures = network.profile.floorGas && head && (await figuresOf(transport, account, head, network))
    const checks: readonly (readonly [string, Found])[] = [
      ['client', versionFound(version)],
      ['profile', profileFound(network, shown)],
      ['newest block', head ? { level: 'ok', text: `${head.number}` } : failed(latest)],
      ['pending', pendingFound(pending)],
      ['gas of a no-op', gasFound(gas, network.profile.noOpGas)],
      ...(figures ? [['gas rules', figures] as const] : []),
      ['safe', tagFound(safe, network.profile.finality === 'safe')],
      ['finalized', tagFound(finalized, network.profile.finality === 'finalized')],
      ['minimum tip', tipFound(tip, history)],
      ...(head
        ? [['block time', blockTimeFound(head, far, network)] as const, ['clock', clockFound(head, network)] as const]
        : []),
    ]
    return [first, ...checks.map(([check, each]) => ({ place, check, ...each }))]
  } finally {
    await transport.close()
  }
}

function failed(answer: Answer): Found {
  return { level: 'error', text: describeAnswer(answer) }
}

function chainIdFound(answer: Answer, expected: number): Found {
  const served = answer.kind === 'value' ? toNumber(answer.value) : undefined
  if (served === undefined) return failed(answer)
  if (served === expected) return { level: 'ok', text: String(served) }
  return { level: 'error', text: `serves chain ${served}; the network is ${expected}` }
}

function versionFound(answer: Answer): Found {
  if (answer.kind === 'value' && typeof answer.value === 'string')
    return { level: 'ok', text: answer.value.slice(0, 80) }
  return { level: 'ok', text: 'the node does not name its client' }
}

const bases = {
  table: 'by the chain id',
  list: 'by a list of rollups',
  shown: 'by contracts of the chain',
  tags: 'by the tags',
  none: "as Ethereum's",
} as const

/** `shown`: how the chain is made. False where something else says so. */
function profileFound(
  { profileBasis, profileInFile, tags }: CheckedNetwork,
  shown: ShownMake | undefined | false,
): Found {
  if (shown === undefined) return { level: 'warning', text: 'the node does not show how the chain is made' }
  if (shown !== false && shown !== 'none') return { level: 'ok', text: `${bases.shown}: ${shown}` }
  const isSaid = profileBasis !== 'none' || profileInFile.pool !== undefined || tags.length > 0
  if (isSaid || shown === false) return { level: 'ok', text: bases[profileBasis] }
  const fix =
    'if it is a rollup, set pool, finality and l1_fee of its profile; else set pool to public (docs/chains.md)'
  return { level: 'warning', text: `as Ethereum's, since nothing says how this chain differs: ${fix}` }
}

/** The gas figures of the chain. A figure that the profile names counts before the chain's. */
async function figuresOf(
  transport: Transport,
  payer: Address,
  { hash }: Head,
  { profile: { gasRules = {} } }: CheckedNetwork,
): Promise<Found> {
  const unnamed = gasFigures.filter((figure) => gasRules[figure] === undefined)
  const read = await gasFiguresBy((each) => callAlone(transport, each), { figures: unnamed, payer, head: hash })
  const found = { ...read, ...gasRules }
  const missing = gasFigures.filter((figure) => found[figure] === undefined)
  const words = describeFigures(found)
  if (missing.length === 0) return { level: 'ok', text: words }
  const unread = `${missing.map((figure) => figureNames[figure]).join(', ')} not read`
  return { level: 'ok', text: `${words === '' ? '' : `${words}; `}${unread}, so nothing is refused by it` }
}

function pendingFound(answer: Answer): Found {
  if (answer.kind === 'value' && toNumber(answer.value) !== undefined)
    return { level: 'ok', text: 'the tag is supported' }
  return { level: 'warning', text: `the tag is not supported, so gaps are filled later: ${describeAnswer(answer)}` }
}

/** `kind`: that of the network's profile. */
function gasFound(answer: Answer, kind: NetworkProfile['noOpGas']): Found {
  const gas = answer.kind === 'value' ? toNumber(answer.value) : undefined
  if (gas === undefined) {
    const result = kind === 'estimated' ? 'no no-op is signed without an estimate' : 'no estimate'
    return { level: 'warning', text: `${result}: ${describeAnswer(answer)}` }
  }
  if (kind === 'estimated' || gas <= transferGas) return { level: 'ok', text: String(gas) }
  const text = `${gas} by the node, and ${transferGas} by the network's profile; see no_op_gas in docs/chains.md`
  return { level: 'warning', text }
}

function tagFound(answer: Answer, isNeeded: boolean): Found {
  const block = answer.kind === 'value' ? toHead(answer.value) : undefined
  if (block) return { level: 'ok', text: `block ${block.number}` }
  return isNeeded
    ? { level: 'warning', text: "the tag is not supported, and the network's finality follows it" }
    : { level: 'ok', text: 'the tag is not supported; confirmations are counted' }
}

/** A sample, neither a depth nor a time. */
const historyBlocks = 20

/** The node's suggestion, and the least that recent blocks took. */
function tipFound(suggested: Answer, history: Answer): Found {
  const suggestion = suggested.kind === 'value' ? toBigInt(suggested.value) : undefined
  const rewards = history.kind === 'value' ? memberOf(history.value, 'reward') : undefined
  const ratios = history.kind === 'value' ? memberOf(history.value, 'gasUsedRatio') : undefined
  const paid: bigint[] = []
  if (Array.isArray(rewards) && Array.isArray(ratios)) {
    for (const [index, reward] of rewards.entries()) {
      const tip = Array.isArray(reward) ? toBigInt(reward[0]) : undefined
      // The rewards of an empty block are zeros that no transaction paid.
      if (tip !== undefined && Number(ratios[index]) > 0) paid.push(tip)
    }
  }
  const [first, ...others] = paid
  const least = first === undefined ? undefined : minWei(first, ...others)
  const texts = [
    suggestion === undefined ? 'the node suggests none' : `the node suggests ${inGwei(suggestion)}`,
    ...(least === undefined ? [] : [`the last ${historyBlocks} blocks took ${inGwei(least)}`]),
  ]
  return { level: 'ok', text: texts.join('; ') }
}

/** The span of a measurement. */
const farBlocks = 100

/** A block some time before the head; undefined for a young chain, whose first timestamp may be anything. */
async function blockBefore(call: CallNode, head: Head): Promise<Head | undefined> {
  const number = Math.max(1, head.number - farBlocks)
  if (head.number - number < 2) return undefined
  const answer = await call('eth_getBlockByNumber', toHex(number), false)
  return answer.kind === 'value' ? toHead(answer.value) : undefined
}

function blockTimeFound(head: Head, far: Head | undefined, network: EndpointCheck['network']): Found {
  const { averageBlockTimeMs: configuredMs, isBlockTimeGiven } = network
  if (!far) return { level: 'ok', text: `too few blocks to measure; ${configuredMs} ms by the configuration` }
  const measuredMs = Math.round((head.timestampMs - far.timestampMs) / (head.number - far.number))
  const differs = measuredMs > 2 * configuredMs || configuredMs > 2 * measuredMs
  if (!differs || !isBlockTimeGiven) return { level: 'ok', text: `${measuredMs} ms` }
  return { level: 'warning', text: `${measuredMs} ms; average_blocktime_ms is ${configuredMs}` }
}

/** A block may be a little ahead of a clock that is right. */
const aheadMsMax = 15_000
const oldMsMin = 60_000

function clockFound(head: Head, { averageBlockTimeMs }: EndpointCheck['network']): Found {
  const ageMs = systemClock.now() - head.timestampMs
  const seconds = Math.round(Math.abs(ageMs) / 1000)
  if (ageMs < -aheadMsMax) {
    return { level: 'error', text: `the newest block is ${seconds} s ahead of this machine; set its clock` }
  }
  if (ageMs > Math.max(oldMsMin, 10 * averageBlockTimeMs)) {
    return { level: 'warning', text: `the newest block is ${seconds} s old: the node is behind, or a clock is wrong` }
  }
  return { level: 'ok', text: `the newest block is ${seconds} s ${ageMs < 0 ? 'ahead' : 'old'}` }
}
