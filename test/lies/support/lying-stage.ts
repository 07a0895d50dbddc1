// A stage on which one node lies: one of three, or the only one.
import { type Anvil, startAnvil } from '../../../tooling/anvil.ts'
import { type LyingNode, startLyingNode } from '../../../tooling/lying-node.ts'
import { type Stage, type StageOptions, stageOn } from '../../e2e/support/stage.ts'

/** The liar's place. As one of three it has nearly all of the weight, so that nearly every first reading is its own. */
export const seats = ['one of three', 'the only one'] as const
/** Beside honest ones. As one of two it has as much weight as the other. */
export const seatsAmongOthers = ['one of three', 'one of two'] as const
export type Seat = (typeof seats)[number] | (typeof seatsAmongOthers)[number]

export interface LyingStage extends Stage<Anvil> {
  readonly liar: LyingNode
}

export async function lyingStage(
  seat: Seat,
  options: Omit<StageOptions, 'endpoints'> & { readonly anvil?: Parameters<typeof startAnvil>[0] },
): Promise<LyingStage> {
  await using pieces = new AsyncDisposableStack()
  const node = pieces.use(await startAnvil({ mining: 'manual', ...options.anvil }))
  const liar = pieces.use(await startLyingNode(node.url))
  const kept = pieces.move()
  const stage = await stageOn(node, {
    ...options,
    endpoints: async ({ node: direct, line }) => {
      const others = { 'one of three': [line, direct], 'one of two': [line], 'the only one': [] }[seat]
      return [{ url: liar.url, weight: seat === 'one of two' ? 1 : 100 }, ...others.map((url) => ({ url, weight: 1 }))]
    },
  })
  return {
    ...stage,
    liar,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]()
      await kept.disposeAsync()
    },
  }
}
