// A bulk cancel while the keys are in a service with a quota: how fast the no-ops go out, and whether another relayer of the
// same quota still cancels. The service runs in this process, over keys in memory that answer late.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hexToBytes } from 'viem'
import { cancelTransaction } from '../src/commands/transactions/cancel.ts'
import { cancelPending } from '../src/commands/transactions/cancel-pending.ts'
import { submitTransaction } from '../src/commands/transactions/submit.ts'
import { composeEngine, type Engine } from '../src/compose.ts'
import { loadConfig } from '../src/config/load-config.ts'
import type { RelayerId } from '../src/domain/ids.ts'
import { processConditions } from '../src/domain/process-condition.ts'
import { systemClock } from '../src/ops/clock.ts'
import type { Logger } from '../src/ops/logger.ts'
import { watchProcess } from '../src/ops/process-states.ts'
import { systemRandom } from '../src/ops/random.ts'
import { KeyServiceError } from '../src/signers/key-service.ts'
import type { OpenKeyService } from '../src/signers/open-signers.ts'
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import { until } from '../tooling/client.ts'
import { memoryKeyService } from '../tooling/memory-key-service.ts'
import { serviceEnvironment, writeServiceFiles } from '../tooling/service-files.ts'
import type { Figure } from './figure.ts'

const inFlight = 200
const quota = { perSecond: 50, concurrency: 10 }
const latencyMs = 100
const ids = ['bulk', 'other'] as const
type Id = (typeof ids)[number]

interface Broadcast {
  readonly relayer: string
  readonly nonce: number
  readonly kind: string
  readonly at: number
}

export async function measureSigners(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'rescind-bench-'))
  const broadcasts: Broadcast[] = []
  try {
    await using anvil = await startAnvil({ mining: 'manual' })
    await using engine = await openEngine(directory, anvil.url, broadcasts)
    const sent = (kind: string, relayer: Id) =>
      broadcasts.filter((each) => each.kind === kind && each.relayer === relayer)
    await send(engine, 'other')
    for (let count = 0; count < inFlight; count += 1) await send(engine, 'bulk')
    await until(async () => sent('execute', 'bulk').length === inFlight, {
      what: () => `all to be broadcast, not ${sent('execute', 'bulk').length}`,
      limitMs: 60_000,
    })
    await sleep(2_000)

    const began = performance.now()
    await cancelPending(engine.commands, 'bulk' as RelayerId)
    await sleep(500)
    const otherBegan = performance.now()
    await cancelOne(engine, 'other')
    await until(async () => sent('cancel', 'bulk').length === inFlight, { what: 'all no-ops', limitMs: 60_000 })
    await until(async () => sent('cancel', 'other').length === 1, { what: 'the other no-op', limitMs: 60_000 })

    const noOps = sent('cancel', 'bulk')
    const [first, last] = [noOps[0], noOps.at(-1)]
    const [other] = sent('cancel', 'other')
    const isInOrder = noOps.every(({ nonce }, index) => nonce === index)
    return [
      {
        name: `bulk cancel of ${inFlight} in flight, 50 signatures a second of 100 ms: last no-op`,
        value: (last?.at ?? 0) - began,
        unit: 'ms',
        aim: 'under 5,000',
      },
      { name: 'the same: first no-op', value: (first?.at ?? 0) - began, unit: 'ms' },
      { name: 'the same: no-ops in the order of their nonces', value: isInOrder ? 1 : 0, unit: '(1: yes)', aim: '1' },
      {
        name: 'a cancel of another relayer on the same quota, meanwhile',
        value: (other?.at ?? 0) - otherBegan,
        unit: 'ms',
        aim: 'under 1,000',
      },
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function openEngine(directory: string, url: string, broadcasts: Broadcast[]): Promise<Engine> {
  const files = {
    networks: [{ name: 'localhost', rpcUrls: [url], averageBlocktimeMs: 12_000 }],
    relayers: ids.map((id, index) => ({
      id,
      privateKey: devAccount(index).key,
      policies: { max_in_flight: inFlight },
    })),
  } as const
  await writeServiceFiles(directory, files)
  const env = serviceEnvironment(directory, { ...files, apiKey: 'a'.repeat(32), port: 0, metricsPort: 0 })
  const config = await loadConfig(env, directory)
  const logger = listening(broadcasts)
  const around = {
    clock: systemClock,
    random: systemRandom(),
    logger,
    version: 'bench',
    processStates: watchProcess(systemClock, processConditions),
  }
  return composeEngine(config, { ...around, openKeyService: keyServices() })
}

/** As a provider does: a bucket for a second of calls, and throttling beyond it. */
function keyServices(): OpenKeyService {
  let [tokens, countedAt] = [quota.perSecond, performance.now()]
  return async (settings) => {
    if (settings.type !== 'plain') return undefined
    const key = hexToBytes(`0x${settings.key.reveal().replace(/^0x/, '')}`)
    const service = memoryKeyService(key, { quota, quotaDomain: 'bench' })
    service.beforeSigning = async () => {
      const now = performance.now()
      tokens = Math.min(quota.perSecond, tokens + ((now - countedAt) / 1_000) * quota.perSecond)
      countedAt = now
      if (tokens < 1) throw new KeyServiceError('slow down', { kind: 'throttled', code: 'Throttling' })
      tokens -= 1
      await sleep(latencyMs)
    }
    return service
  }
}

/** The engine logs each broadcast before its bytes leave. */
function listening(broadcasts: Broadcast[]): Logger {
  const logger: Logger = {
    debug(facts, message) {
      if (message !== 'broadcasting') return
      const { relayer_id: relayer, nonce, kind } = facts as { relayer_id: string; nonce: number; kind: string }
      // The first time counts: later the same bytes go out again.
      if (broadcasts.some((each) => each.relayer === relayer && each.nonce === nonce && each.kind === kind)) return
      broadcasts.push({ relayer, nonce, kind, at: performance.now() })
    },
    info: () => undefined,
    warn: (facts, message) => process.stderr.write(`${message} ${JSON.stringify(facts)}\n`),
    error: (facts, message) => process.stderr.write(`${message} ${JSON.stringify(facts)}\n`),
    isLevelEnabled: () => true,
    child: () => logger,
  }
  return logger
}

async function send({ commands }: Engine, relayer: Id): Promise<void> {
  const to = devAccount(5).address
  const request = { to, value: 1n, data: '0x', gasLimit: 21_000, pricing: { kind: 'speed', speed: 'average' } } as const
  await submitTransaction(commands, relayer as RelayerId, request)
}

async function cancelOne({ commands }: Engine, relayer: Id): Promise<void> {
  const id = relayer as RelayerId
  const [transaction] = (await commands.store.reads.transactions(id, {}, { page: 1, perPage: 1 })).items
  if (transaction) await cancelTransaction(commands, id, transaction.id)
}
