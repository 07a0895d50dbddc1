// How soon cancellations go out after a key service that held them up has recovered, or from the cancellation where the service only
// takes its time. The service runs in this process, over the clients of the providers and a stand-in for each.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
import { type Anvil, devAccount, startAnvil } from '../tooling/anvil.ts'
import { until } from '../tooling/client.ts'
import { serviceEnvironment, writeServiceFiles } from '../tooling/service-files.ts'
import { type HeldUp, startHeldUp } from './custody-services.ts'
import type { Figure } from './figure.ts'

interface Broadcast {
  readonly relayer: string
  readonly nonce: number
  readonly kind: string
  readonly at: number
}

export async function measureCustody(): Promise<Figure[]> {
  await using opened = new AsyncDisposableStack()
  const groups = await startHeldUp(opened)
  const directory = await mkdtemp(join(tmpdir(), 'rescind-bench-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const anvil = opened.use(await startAnvil({ mining: 'manual' }))
  const broadcasts: Broadcast[] = []
  const all = groups.flat()
  const engine = opened.use(await openEngine(directory, anvil, all, broadcasts))
  const sent = (held: HeldUp, kind: string) =>
    broadcasts.filter((each) => each.relayer === idOf(all, held) && each.kind === kind)
  for (const held of all) {
    for (let count = 0; count < held.transactions; count += 1) await send(engine, idOf(all, held))
  }
  const missing = () => all.filter((held) => sent(held, 'execute').length < held.transactions)
  const what = () => `the payloads of ${missing().map(({ name }) => name)}`
  await until(() => missing().length === 0, { what, limitMs: 120_000 })
  const figures: Figure[] = []
  for (const group of groups) {
    figures.push(...(await Promise.all(group.map((held) => resumption(engine, idOf(all, held), held, sent)))))
  }
  return figures
}

function idOf(all: readonly HeldUp[], held: HeldUp): RelayerId {
  return `held-${all.indexOf(held)}` as RelayerId
}

async function resumption(
  engine: Engine,
  relayer: RelayerId,
  held: HeldUp,
  sent: (held: HeldUp, kind: string) => readonly Broadcast[],
): Promise<Figure> {
  await held.begin()
  await cancelPending(engine.commands, relayer)
  await sleep(held.afterMs)
  const began = performance.now()
  await held.end()
  const noOps = () => sent(held, 'cancel')
  await until(() => noOps().length === held.transactions, { what: `the no-ops: ${held.name}`, limitMs: 120_000 })
  const tookMs = Math.max(...noOps().map(({ at }) => at)) - began
  return {
    name: `${held.name}: until the last no-op`,
    value: tookMs,
    unit: 'ms',
    aim: "3,000 after the service's own time",
  }
}

async function openEngine(
  directory: string,
  anvil: Anvil,
  all: readonly HeldUp[],
  broadcasts: Broadcast[],
): Promise<Engine> {
  for (const { key } of all) await anvil.rpc('anvil_setBalance', [key.address, '0x56bc75e2d63100000'])
  const files = {
    networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 12_000 }],
    relayers: all.map((held) => ({
      ...{ id: idOf(all, held), privateKey: held.key.privateKey },
      policies: { max_in_flight: held.transactions },
    })),
  } as const
  await writeServiceFiles(directory, files)
  const env = serviceEnvironment(directory, { ...files, apiKey: 'a'.repeat(32), port: 0, metricsPort: 0 })
  const config = await loadConfig(env, directory)
  return composeEngine(config, {
    ...{
      clock: systemClock,
      random: systemRandom(),
      logger: listening(broadcasts),
      version: 'bench',
      processStates: watchProcess(systemClock, processConditions),
    },
    openKeyService: async ({ id }) => all.find((held) => `signer-${idOf(all, held)}` === id)?.open(),
  })
}

/** The engine logs each broadcast before its bytes leave. The first one of each nonce counts. */
function listening(broadcasts: Broadcast[]): Logger {
  const logger: Logger = {
    debug(facts, message) {
      if (message !== 'broadcasting') return
      const { relayer_id: relayer, nonce, kind } = facts as { relayer_id: string; nonce: number; kind: string }
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

async function send({ commands }: Engine, relayer: RelayerId): Promise<void> {
  const to = devAccount(5).address
  const request = { to, value: 1n, data: '0x', gasLimit: 21_000, pricing: { kind: 'speed', speed: 'average' } } as const
  await submitTransaction(commands, relayer, request)
}
