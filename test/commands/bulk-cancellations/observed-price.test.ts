// The engine's observations reach the bulk cancellations of the same process: a part that lacked a price is tried again by nothing else here.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { submitTransaction } from '../../../src/commands/transactions/submit.ts'
import { composeEngine } from '../../../src/compose.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import type { RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { processConditions } from '../../../src/domain/process-condition.ts'
import { statusOf } from '../../../src/domain/transaction.ts'
import { type Clock, systemClock } from '../../../src/ops/clock.ts'
import { watchProcess } from '../../../src/ops/process-states.ts'
import { systemRandom } from '../../../src/ops/random.ts'
import { devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { type RpcCall, startRpcServer } from '../../../tooling/rpc-server.ts'
import { type ServiceFiles, serviceEnvironment, writeServiceFiles } from '../../../tooling/service-files.ts'
import { receiver } from '../../domain/some.ts'
import { recordWithin } from '../../store/contract-bulk-limits.ts'
import { quiet } from '../../store/open-store.ts'
import { openTestedStore } from '../../support/open-tested-store.ts'

/** Nothing goes on by the clock: no sleep ends before its signal. */
const still: Clock = {
  ...systemClock,
  sleep: (_, signal) => new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
}

const one = 'one' as RelayerId

test('a part that lacks a price is stopped once its owner has observed one', async () => {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'rescind-observed-'))
  opened.defer(() => rm(folder, { recursive: true }))
  const node = opened.use(await startAnvil({ mining: 'manual' }))
  const line = opened.use(await startRpcServer({ forwardTo: node.url }))
  const { store } = opened.use(await openTestedStore())
  const files: ServiceFiles = {
    networks: [{ name: 'localhost', rpcUrls: [line.url] }],
    relayers: [{ id: one, privateKey: devAccount(0).key }],
  }
  await writeServiceFiles(folder, files)
  const config = await loadConfig(
    serviceEnvironment(folder, { ...files, apiKey: 'k'.repeat(32), port: 0, metricsPort: 0 }),
    folder,
  )
  const process = (clock: Clock) =>
    composeEngine(config, {
      processStates: watchProcess(clock, processConditions),
      ...{ clock, random: systemRandom(), logger: quiet, version: 'test', reportsOwners: false, announcesBulks: false },
      openStore: async () => ({ ...store, async [Symbol.asyncDispose]() {} }),
    })
  const request = { to: receiver, value: 1n, data: '0x', pricing: { kind: 'speed', speed: 'fast' } } as const
  const sent: TransactionId[] = []
  const status = async () => {
    const [id] = sent
    const transaction = id && (await store.reads.transaction(one, id))
    return transaction && statusOf(transaction)
  }
  {
    await using earlier = await process(systemClock)
    sent.push((await submitTransaction(earlier.commands, one, request)).id)
    await expect.poll(status).toBe('submitted')
  }

  const gate = Promise.withResolvers<void>()
  const held = async ({ method, params }: RpcCall) => {
    await gate.promise
    return { result: await node.rpc(method, params) }
  }
  line.react({ do: 'handle', each: held })
  await using engine = await process(still)
  const bulkId = await recordWithin(store, [one], 10n ** 18n)
  await engine.stops.stopAll([{ bulkId, relayerId: one, pause: false }], { isInTurn: true })
  expect([await store.reads.waitingBulkParts(1), await status()]).toEqual([
    [{ number: expect.any(Number), bulkId, relayerId: one, pause: false }],
    'submitted',
  ])
  line.react({ do: 'forward' })
  gate.resolve()
  await expect.poll(status).toBe('canceled')
  expect(await store.reads.waitingBulkParts(1)).toEqual([])
})
