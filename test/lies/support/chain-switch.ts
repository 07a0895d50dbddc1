// A gateway that routes to another chain for a while, by mistake.
import { toHex } from '../../../src/chain/nodes/decode.ts'
import { type Anvil, startAnvil } from '../../../tooling/anvil.ts'
import { type RpcServer, startRpcServer } from '../../../tooling/rpc-server.ts'
import { type Stage, type StageOptions, stageOn } from '../../e2e/support/stage.ts'
import type { Seat } from './lying-stage.ts'

export interface SwitchStage extends Stage<Anvil> {
  /** The chain of the mistake. Its accounts have other nonces, and its head is higher. */
  readonly otherChain: Anvil
  readonly gateway: RpcServer
  /** Routes to the other chain, or back. */
  misroute(): void
  putRight(): void
}

/**
 * As one of three the gateway has nearly all of the weight. `otherId`: the chain id of the other chain. Both chains have a
 * history of more than an hour.
 */
export async function switchStage(
  seat: Seat,
  otherId: number,
  options: Omit<StageOptions, 'endpoints'>,
): Promise<SwitchStage> {
  await using pieces = new AsyncDisposableStack()
  const node = pieces.use(await startAnvil({ mining: 'manual' }))
  // By the base fee its blocks differ from the first on, even where both chains begin in the same second.
  const otherChain = pieces.use(await startAnvil({ mining: 'auto', chainId: otherId, baseFee: 2_000_000_000n }))
  for (const chain of [node, otherChain]) await chain.rpc('anvil_mine', [toHex(300), toHex(15)])
  const server = await startRpcServer({ forwardTo: node.url })
  pieces.defer(server.stop)
  const kept = pieces.move()
  const stage = await stageOn(node, {
    ...options,
    endpoints: async ({ node: direct, line }) => {
      const others = [line, direct].map((url) => ({ url, weight: 1 }))
      return [{ url: server.url, weight: 100 }, ...(seat === 'one of three' ? others : [])]
    },
  })
  return {
    ...stage,
    otherChain,
    gateway: server,
    misroute: () => server.react({ do: 'forwardTo', url: otherChain.url }),
    putRight: () => server.react({ do: 'forward' }),
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]()
      await kept.disposeAsync()
    },
  }
}
