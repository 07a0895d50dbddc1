// A node that bends JSON-RPC: it is read where its answers are of use.
import { expect, test } from 'vitest'
import { minedFrom } from '../../tooling/ledger.ts'
import type { RpcReply, RpcRequest } from '../../tooling/rpc-server.ts'
import { cancel, inPool, mineUntil, pay, verdict } from '../e2e/support/play.ts'
import { type LyingStage, lyingStage, seats } from './support/lying-stage.ts'

const firstOf = ({ calls: [first] }: RpcRequest) => first?.id

const bends: readonly (readonly [string, (stage: LyingStage) => void])[] = [
  [
    'puts an empty error beside each result',
    ({ liar }) =>
      liar.lie((_, honest) => ('result' in honest ? ({ ...honest, error: {} } as unknown as RpcReply) : undefined)),
  ],
  [
    'answers only the first call of a batch',
    ({ liar }) =>
      liar.bend((request) =>
        request.batch
          ? { do: 'lie', lie: ({ id }) => (id === firstOf(request) ? undefined : 'none') }
          : { do: 'forward' },
      ),
  ],
  [
    'answers batches with an empty body',
    ({ liar }) => liar.bend((request) => (request.batch ? { do: 'say', body: '' } : { do: 'forward' })),
  ],
]

test.each(seats.flatMap((seat) => bends.map(([what, bend]) => [seat, what, bend] as const)))(
  '%s %s: cancellations end meanwhile, with the verdict that the chain shows',
  async (seat, _, bend) => {
    await using stage = await lyingStage(seat, { relayers: { one: {} } })
    const sender = stage.sender('one')
    const payment = await pay(stage, sender)
    await inPool(stage, sender, [0])
    bend(stage)
    await cancel(stage, payment)
    await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation('one', payment.id)).final)
    const { state, winner } = await verdict(stage, payment, ({ final }) => final)
    const [mined] = await minedFrom(stage.node, sender.address)
    expect({ state, hash: winner?.hash }).toEqual({ state: mined?.value === 0n ? 'won' : 'lost', hash: mined?.hash })
    expect(stage.liar.lies(), 'bent answers').toBeGreaterThan(0)
  },
)
