// Another chain for a while, with the chain id of the network or another one, and then the true chain again, and so on: a proxy
// that routes to the wrong network. It has blocks, a price and no transaction of ours, and takes none.
import type { Hash, Hex } from '../../src/domain/ids.ts'
import type { SimNode } from '../chain/node.ts'
import { decode } from '../chain/transaction.ts'
import { withhold } from './drop.ts'
import type { Lie } from './lie.ts'

interface Other {
  readonly chainId: number
  /** How far the other chain is above the true one, or below it. */
  readonly ahead: number
  readonly since: number
  /** For so long it is one chain, and then the other. */
  readonly everyMs: number
}

const others = new WeakMap<SimNode, Other>()

const hex = (number: number) => `0x${number.toString(16)}`
const hashOf = (number: number): Hash => `0x07e5${number.toString(16).padStart(60, '0')}`

export const anotherChain: Lie = (world, node, { id, method, params }, honest, dice) => {
  const drawn = () => ({
    chainId: dice.pick([world.chainId, 1, 11_155_111]),
    ahead: dice.pick([-5, 0, 7, 100_000]),
    since: world.now(),
    everyMs: dice.pick([5_000, 60_000, 600_000]),
  })
  const other = others.get(node) ?? drawn()
  others.set(node, other)
  if (Math.floor((world.now() - other.since) / other.everyMs) % 2 === 1) return honest
  const result = (value: unknown) => ({ jsonrpc: '2.0' as const, id, result: value })
  const head = Math.max(1, node.head.number + other.ahead)
  switch (method) {
    case 'eth_chainId':
      return result(hex(other.chainId))
    case 'eth_getBlockByNumber': {
      const [place] = params
      const number = typeof place === 'string' && place.startsWith('0x') ? Number(place) : head
      const block = honest.result ?? {}
      const parent = { parentHash: hashOf(number - 1), number: hex(number), hash: hashOf(number) }
      const timestamp = hex(node.head.timestampSeconds - (head - number))
      return number > head ? result(null) : result({ ...block, ...defaults, ...parent, timestamp, transactions: [] })
    }
    case 'eth_getTransactionReceipt':
    case 'eth_getTransactionByHash':
      return result(null)
    case 'eth_getTransactionCount':
    case 'eth_getBalance':
      return result('0x0')
    case 'eth_sendRawTransaction':
      withhold(node, decode(params[0] as Hex))
      return { jsonrpc: '2.0', id, error: { code: -32_000, message: 'invalid chain id for signer' } }
    default:
      return honest
  }
}

/** Of a block that is not on the true chain. */
const defaults = { baseFeePerGas: '0x3b9aca00', gasLimit: '0x1c9c380', gasUsed: '0x0' }
