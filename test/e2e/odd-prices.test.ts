// Nodes whose prices are not Ethereum's: a smallest tip, gas that is free, and errors that no client uses.
import { afterEach, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { decode, hex } from '../../tooling/ledger.ts'
import type { RpcCall } from '../../tooling/rpc-server.ts'
import { audit } from './support/audit.ts'
import { cancel, inPool, mineUntil, pay, reached, verdict, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

const gwei = 1_000_000_000n

let stage: Stage<Anvil> | undefined
afterEach(() => stage?.[Symbol.asyncDispose]())

/** The line answers sends for which `refusal` has words, and passes everything else on. */
function refuseSends({ line }: Stage<Anvil>, refusal: (send: RpcCall) => string | undefined): void {
  line.onRequest(({ calls }) => {
    const words = calls.map((call) => (call.method === 'eth_sendRawTransaction' ? refusal(call) : undefined))
    if (words.every((each) => each === undefined)) return { do: 'forward' }
    return { do: 'answer', each: (call) => ({ error: { code: -32000, message: words[calls.indexOf(call)] ?? 'no' } }) }
  })
}

test('a pool that names its smallest tip gets it with the second attempt, and so does the next transaction', async () => {
  stage = await anvilStage({ relayers: { quiet: {} } })
  const sender = stage.sender('quiet')
  refuseSends(stage, ({ params: [raw] }) => {
    const { maxPriorityFeePerGas: tip = 0n } = decode(String(raw))
    if (tip >= 25n * gwei) return undefined
    return `transaction gas price below minimum: gas tip cap ${tip}, minimum needed ${25n * gwei}`
  })
  const first = await pay(stage, sender)
  await until(() => stage?.rows.attempts(first.id)[0]?.outcome_code === 'feeTooLow', { what: 'a refusal' })
  await stage.node.mine()
  await inPool(stage, sender, [0])
  expect(stage.rows.attempts(first.id)).toHaveLength(2)
  const second = await pay(stage, sender)
  await inPool(stage, sender, [0, 1])
  expect(stage.rows.attempts(second.id)).toHaveLength(1)
  await stage.node.mine()
  await reached(stage, second, 'mined', 'confirmed')
  await audit(stage, sender)
})

test('where gas is free an account without a balance sends, cancels and settles', async () => {
  stage = await anvilStage({ relayers: { poor: { max_in_flight: 1 } }, anvil: { baseFee: 0n } })
  const sender = stage.sender('poor')
  await stage.node.rpc('anvil_setBalance', [sender.address, hex(0n)])
  const free = ['eth_gasPrice', 'eth_maxPriorityFeePerGas']
  stage.line.onRequest(({ calls }) =>
    calls.some(({ method }) => free.includes(method))
      ? {
          do: 'forwardBut',
          method: calls.find(({ method }) => free.includes(method))?.method ?? '',
          reply: { result: '0x0' },
        }
      : { do: 'forward' },
  )
  const paid = await pay(stage, sender, { value: '0' })
  await inPool(stage, sender, [0])
  const raced = await pay(stage, sender, { value: '0' })
  const dropped = await pay(stage, sender, { value: '0' })
  await cancel(stage, dropped)
  expect(await stage.client.cancellation('poor', dropped.id)).toMatchObject({ state: 'dropped', final: true })
  await stage.node.mine()
  await reached(stage, paid, 'mined', 'confirmed')
  await inPool(stage, sender, [1])
  await cancel(stage, raced)
  const offers = () =>
    (stage?.rows.attempts(raced.id) ?? []).map(({ kind, raw }) => [kind, decode(raw).maxFeePerGas ?? 0n])
  await until(() => offers().length > 1, { what: 'a no-op' })
  await mineUntil(stage, 'a final verdict', async () => {
    return (await stage?.client.cancellation('poor', raced.id))?.final === true
  })
  // anvil takes no no-op at the same price: the original is mined, and the verdict says so.
  await verdict(stage, raced, ({ state, final }) => final && (state === 'lost' || state === 'won'))
  const offered = offers()
  expect(offered).toContainEqual(['cancel', 0n])
  expect(offered.every(([, cap]) => Number(cap) <= 1)).toBe(true)
  await audit(stage, sender)
})

test('an error that no client uses is reported at once, and ends nothing', async () => {
  stage = await anvilStage({ relayers: { held: {} } })
  const sender = stage.sender('held')
  refuseSends(stage, () => 'compliance: this transfer is on hold')
  const payment = await pay(stage, sender)
  await until(
    async () => stage && (await view(stage, payment)).status_reason?.includes('compliance: this transfer is on hold'),
    {
      what: 'the node’s words in status_reason',
    },
  )
  const sends = () => stage?.line.calls('eth_sendRawTransaction').length ?? 0
  const before = sends()
  await until(() => sends() > before + 1, { what: 'it to be sent again' })
  stage.line.onRequest(() => ({ do: 'forward' }))
  await inPool(stage, sender, [0])
  await stage.node.mine()
  await reached(stage, payment, 'mined', 'confirmed')
  await audit(stage, sender)
})
