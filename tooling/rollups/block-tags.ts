// The block tags `safe` and `finalized` of a rollup's node, as the test steers them: so many blocks behind, or stopped.
import type { Hex } from 'viem'
import { hex } from '../ledger.ts'
import type { RpcReply } from '../rpc-server.ts'
import { type NodeBehind, refusal } from './node-behind.ts'

type BlockTag = 'safe' | 'finalized'

export interface BlockTags {
  /** From now on so many blocks behind the head. It never goes back. Until the chain is that long, the tag is unknown. */
  lag(tag: BlockTag, blocks: number): void
  /** It stays where it is, whatever blocks come. */
  stop(tag: BlockTag): Promise<void>
  /** The node has no such block, as right after its start. */
  forget(tag: BlockTag): void
  /** As of the head that the node has now. */
  number(tag: BlockTag): Promise<number | undefined>
  /** Puts a block's number in place of each tag, or answers as a node that has no such block. */
  resolve(params: readonly unknown[]): Promise<{ readonly params: readonly unknown[] } | RpcReply>
}

interface Steering {
  behind: number
  stopped: boolean
  reached: number | undefined
}

/** On OP chains `safe` comes with the batch on L1, after some minutes, and `finalized` about 13 minutes after that. */
const lagAtFirst: Readonly<Record<BlockTag, number>> = { safe: 2, finalized: 5 }

export function steerBlockTags(node: NodeBehind): BlockTags {
  const follow = (behind: number): Steering => ({ behind, stopped: false, reached: undefined })
  const tags = { safe: follow(lagAtFirst.safe), finalized: follow(lagAtFirst.finalized) }

  async function number(tag: BlockTag): Promise<number | undefined> {
    const head = Number(await node.value<Hex>('eth_blockNumber'))
    const steering = tags[tag]
    if (!steering.stopped && head >= steering.behind) {
      steering.reached = Math.max(steering.reached ?? 0, head - steering.behind)
    }
    // After a reorganization the head may be lower.
    return steering.reached === undefined ? undefined : Math.min(steering.reached, head)
  }

  return {
    number,
    lag: (tag, behind) => {
      Object.assign(tags[tag], { behind, stopped: false })
    },
    stop: async (tag) => {
      await number(tag)
      tags[tag].stopped = true
    },
    forget: (tag) => {
      Object.assign(tags[tag], { reached: undefined, stopped: true })
    },
    resolve: async (params) => {
      const resolved: unknown[] = []
      for (const param of params) {
        const known = isTag(param) ? await number(param) : undefined
        // geth's words and code, `errUnknownBlock` of internal/ethapi; Nitro gives them without that code.
        if (isTag(param) && known === undefined) return refusal(`${param} block not found`, -39_001)
        resolved.push(known === undefined ? param : hex(known))
      }
      return { params: resolved }
    },
  }
}

function isTag(param: unknown): param is BlockTag {
  return param === 'safe' || param === 'finalized'
}
