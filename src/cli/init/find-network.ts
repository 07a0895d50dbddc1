// The network behind a URL: its chain id by the node, and its name by the lists of chains.

import { describeAnswer } from '../../chain/nodes/call.ts'
import { callAlone } from '../../chain/nodes/call-alone.ts'
import { toHead, toNumber } from '../../chain/nodes/decode.ts'
import { openTransport } from '../../chain/nodes/transport.ts'
import { knownChain } from '../../config/known-chain.ts'
import { limits } from '../../config/limits.ts'
import { namedNetworks } from '../../config/named-networks.ts'
import { systemClock } from '../../ops/clock.ts'
import { httpUrl } from '../../ops/http-url.ts'
import { CommandError, exits, usage } from '../exits.ts'

/** Chain ids of development nodes. */
export const developmentIds: readonly number[] = [1_337, 31_337]

export interface NodeFacts {
  readonly chainId: number
  /** Whether its newest block has a base fee. */
  readonly hasBaseFee: boolean
}

export interface FoundNetwork {
  readonly name: string
  readonly chainId: number
  /** False for a network that the lists name: they have the rest. */
  readonly isUnlisted: boolean
  readonly hasBaseFee: boolean
}

/** Throws CommandError for a URL that is none, and for a node that does not answer. No message shows the URL. */
export async function readNode(url: string): Promise<NodeFacts> {
  if (!httpUrl(url)) throw usage('the URL of the node is no http or https URL; write https://…')
  const transport = openTransport({ url, clock: systemClock, timeoutMs: limits.rpcTimeoutMs })
  try {
    const id = await callAlone(transport, { method: 'eth_chainId', params: [] })
    const chainId = id.kind === 'value' ? toNumber(id.value) : undefined
    if (chainId === undefined) {
      throw new CommandError(exits.error, `the node does not return its chain id: ${describeAnswer(id)}`)
    }
    const latest = await callAlone(transport, { method: 'eth_getBlockByNumber', params: ['latest', false] })
    const head = latest.kind === 'value' ? toHead(latest.value) : undefined
    if (!head) throw new CommandError(exits.error, `the node returns no block: ${describeAnswer(latest)}`)
    return { chainId, hasBaseFee: head.baseFee !== undefined }
  } finally {
    await transport.close()
  }
}

/** Finds the network by its name, or by the chain id alone. Throws CommandError if the node serves another chain than the name's. */
export async function findNetwork(given: string | undefined, node: NodeFacts): Promise<FoundNetwork> {
  const { chainId } = node
  const listed = namedNetworks.find((each) => each.chainId === chainId && !developmentIds.includes(chainId))
  const name = given ?? listed?.name ?? (developmentIds.includes(chainId) ? 'localhost' : `chain-${chainId}`)
  const known = await knownChain(name)
  if (known && known.chainId !== chainId) {
    throw new CommandError(exits.error, `the node serves chain ${chainId}, and ${name} is ${known.chainId}`)
  }
  return { name, chainId, isUnlisted: !known, hasBaseFee: node.hasBaseFee }
}
