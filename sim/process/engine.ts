// The production engine on a simulated machine, network and store.
import { composeEngine, type Engine } from '../../src/compose.ts'
import type { Config } from '../../src/config/config.ts'
import { limits } from '../../src/config/limits.ts'
import { osakaRules } from '../../src/domain/gas-figures.ts'
import type { Policies as Members } from '../../src/domain/policy-table.ts'
import { processConditions } from '../../src/domain/process-condition.ts'
import { ethereumProfile, type NetworkProfile } from '../../src/domain/profile.ts'
import type { Clock } from '../../src/ops/clock.ts'
import type { Logger } from '../../src/ops/logger.ts'
import { watchProcess } from '../../src/ops/process-states.ts'
import { secret } from '../../src/ops/secret.ts'
import type { Hints } from '../../src/store/hints.ts'
import type { Slot } from '../../src/store/locks.ts'
import type { Dice } from '../../tooling/dice.ts'
import { keepsFutureMs } from '../chain/sequencer.ts'
import type { Owners } from '../check/owners.ts'
import type { History } from '../history.ts'
import { hasLie } from '../lies/lie.ts'
import type { Network } from '../network.ts'
import type { Policies } from '../scenario/policies.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Timeline } from '../timeline.ts'
import type { CustodyWorld } from './custody.ts'
import type { Disk } from './database.ts'
import { clockOf, type Instance } from './instance.ts'
import type { LockServer } from './locks.ts'
import { type SignerBehavior, simKeyServices } from './signers.ts'
import { openSimStore, type StoreWitness } from './store.ts'

export const chainId = 31_337
export const epochMs = Date.UTC(2026, 0, 1)
/** Keys from the examples of EIP-155, which hold no money anywhere. */
export const keys = ['46', '47'].map((byte) => `0x${byte.repeat(32)}`)

const storageKey = Buffer.alloc(32, 9).toString('base64')

export function relayerName(index: number): string {
  return `r${index}`
}

export interface Machine {
  readonly scenario: Scenario
  readonly timeline: Timeline
  readonly history: History
  /** Notes what the engine logs. */
  readonly marks: { logged(message: string): void }
  readonly network: Network
  readonly ids: Dice
  readonly disk: Disk
  readonly witness: StoreWitness
  readonly skewMs: () => number
  readonly policies: () => Policies
  readonly presign: () => number
  /** The order of the chain, which a process reads when it starts. */
  readonly isByTips: () => boolean
  /** The locks and hints of replicas. Undefined: one process has the database to itself. */
  readonly sharing: SimSharing | undefined
  readonly owners: Owners
  readonly signerBehavior: () => SignerBehavior
  /** The random stream of calls to the key service. */
  readonly keyCalls: Dice
  readonly custody: CustodyWorld | undefined
  /** A reorganization has left the first of these blocks, and the second is canonical. */
  readonly isAbandoned: (shown: unknown, expected: unknown) => boolean
}

export interface SimSharing {
  readonly locks: LockServer
  readonly hintsOf: (instance: Instance) => Hints
}

export const networkName = 'sim'

export interface Process {
  readonly instance: Instance
  /** Rejects when the process could not start. */
  readonly engine: Promise<Engine>
}

export function start(machine: Machine, instance: Instance): Process {
  const { timeline, network, ids, disk, witness, scenario, sharing } = machine
  const store = openSimStore(disk, instance, timeline, witness)
  const clock = clockOf(instance, timeline, epochMs, machine.skewMs)
  const logger = loggerOf(instance, machine, {})
  const engine = composeEngine(configOf(scenario, machine), {
    clock,
    random: { bytes: (length) => ids.bytes(length) },
    logger,
    processStates: watchProcess(clock, processConditions),
    version: 'sim',
    reportsOwners: scenario.surveys === true,
    watchesForeignUse: scenario.foreignLooks === true,
    announcesBulks: scenario.bulkObjects !== undefined,
    openTransport: network.transport(instance),
    openStore: async () => store,
    ...(scenario.signerChanges !== undefined && { openKeyService: keyServicesFor(machine, instance, clock) }),
    ...(sharing && {
      openSharing: () => ({ locks: sharing.locks.locksOf(instance), hints: sharing.hintsOf(instance) }),
    }),
  })
  return { instance, engine }
}

function keyServicesFor(machine: Machine, instance: Instance, clock: Clock) {
  const { keyCalls, timeline, signerBehavior, custody } = machine
  const keyOf = (signerId: string) => keys[Number(signerId.slice(1))] ?? ''
  const { signatureMs } = machine.scenario
  const world = { dice: keyCalls, timeline, behavior: signerBehavior, keyOf, custody, signatureMs }
  return simKeyServices(world, instance, loggerOf(instance, machine, {}), clock)
}

/** The policies of a relayer as they are configured now. */
export function policiesOf(
  { eip1559, fourEyes }: Scenario,
  { others, gasPriceCap, maxInFlight }: Policies,
  presign: number,
): Members {
  return {
    minBalance: 0n,
    eip1559Pricing: eip1559,
    ...others,
    ...(fourEyes !== undefined && { fourEyes: true }),
    ...(gasPriceCap !== undefined && { gasPriceCap }),
    ...(presign > 0 && { presignCancel: presign }),
    ...(maxInFlight !== undefined && { maxInFlight }),
  }
}

/** Nothing delivers them. */
function notificationsOf({ bulkObjects }: Scenario): Config['notifications'] {
  if (bulkObjects === undefined) return []
  return [0, 1].map((index) => ({ id: hookName(index), type: 'webhook', url: secret('http://hook.invalid/') }))
}

/** Two relayers share one, so that an object may have relayers of either. */
function hookName(relayer: number): string {
  return `hook-${relayer % 2}`
}

function configOf(scenario: Scenario, machine: Machine): Config {
  const [policies, presign] = [machine.policies(), machine.presign()]
  const { relayers, confirmations, finality, configuredBlocktimeMs } = scenario
  const profile = { ...profileOf(scenario, machine.isByTips()), ...(finality && { finality: finality.rule }) }
  const indexes = keys.slice(0, relayers).map((_, index) => index)
  return {
    role: 'both',
    server: {
      host: '127.0.0.1',
      port: 0,
      isDocumented: false,
      hasDashboard: false,
      trustedProxies: [],
      apiKey: secret('no door'),
      rpcAnswerBytesMax: 1_048_576,
      idleConnectionMs: 1_000,
      rateLimit: { requestsPerSecond: 1, burst: 1 },
    },
    logLevel: 'error',
    database: { kind: 'sqlite', path: '/nowhere' },
    encryption: { ...(scenario.presign && { current: secret(storageKey) }), previous: [] },
    webhooks: { allowedHosts: [] },
    signers: indexes.map((index) => ({ id: `s${index}`, type: 'plain', key: secret(keys[index] ?? '') })),
    notifications: notificationsOf(scenario),
    relayers: indexes.map((index) => ({
      id: relayerName(index),
      name: relayerName(index),
      ...(scenario.bulkObjects !== undefined && { notificationId: hookName(index) }),
      network: networkName,
      signerId: `s${index}`,
      paused: policies.paused[index] ?? false,
      policies: policiesOf(scenario, policies, presign),
    })),
    networks: [
      {
        name: networkName,
        chainId,
        rpcUrls: scenario.profiles.map((_, index) => ({
          url: secret(`http://node-${index}.invalid/`),
          weight: scenario.nodeWeights?.[index] ?? 1,
        })),
        requiredConfirmations: confirmations,
        averageBlockTimeMs: configuredBlocktimeMs,
        isBlockTimeGiven: true,
        symbol: 'ETH',
        isTestnet: true,
        eip1559: true,
        profile,
        profileBasis: 'table',
        profileInFile: profile,
        tags: [],
        features: ['eip1559'],
        explorerUrls: [],
        // While the other nodes are out for long, a liar is the only witness.
        secondWitness: hasLie(scenario.liar, 'falseInclusion', 'minedEarly', 'tagsAhead', 'falseCost')
          ? 'require'
          : 'prefer',
      },
    ],
    retention: {},
    limits: {
      ...limits,
      witnessSilentMs,
      ...(finality && { confirmedRowsMax: finality.rowsMax }),
    },
    warnings: [],
  }
}

/** Instead of ten minutes, which would make a run thousands of blocks longer. */
export const witnessSilentMs = 90_000

function profileOf(
  { kind, gasFork, reserve }: Pick<Scenario, 'kind' | 'gasFork' | 'reserve'>,
  isByTips: boolean,
): NetworkProfile {
  const { isFcfs, answers, hasSequencer, hasL1Gas, hasL1Fee } = kind
  return {
    ...{ ...ethereumProfile, tipFloor: 3_000_000_000n },
    // They are read from nodes in worlds with a fork only.
    ...(!gasFork && { gasRules: osakaRules }),
    ...(reserve && { charges: 'gas_limit', reserveBalance: reserve.reserve, balanceLagBlocks: reserve.lagBlocks }),
    ...(hasSequencer && { pool: 'private' }),
    ...(isFcfs && { pool: isByTips ? 'private' : 'fcfs', keepsFutureNonceMs: keepsFutureMs }),
    ...(answers === 'withReceipt' && { sendSync: true }),
    ...(hasL1Fee && { l1Fee: 'op_stack' }),
    ...(hasL1Gas && { noOpGas: 'estimated', floorGas: false, l1Fee: 'in_gas' }),
  }
}

/** Warnings are part of the history. An error is always a finding. */
function loggerOf(
  instance: Instance,
  machine: Pick<Machine, 'scenario' | 'history' | 'owners' | 'isAbandoned' | 'marks'>,
  context: object,
): Logger {
  const { scenario, history, owners, marks } = machine
  /** Reorganizations go below the required confirmations only where finality has a rule of its own. Else a node lies. */
  const mayTakeBack = (cause: unknown) =>
    scenario.liar !== undefined || (cause === 'reorganized' && scenario.finality !== undefined)
  const reported = (facts: object) => {
    const { err, ...rest } = { ...context, ...facts } as { err?: unknown }
    const text = JSON.stringify(rest, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    // Without the frames of awaiting callers: which of them a stack has depends on what the machine has compiled by then.
    return err instanceof Error ? `${text} ${err.stack?.split('\n').slice(0, 2).join(' | ')}` : text
  }
  return {
    debug(facts, message) {
      marks.logged(message)
      if (message === 'a lock will be given up after the last steps under it')
        return owners.givesUp(instance, (facts as { slot: Slot }).slot)
      if (message !== 'broadcasting') return
      const { relayer_id: relayer, hash } = facts as { relayer_id: string; hash: string }
      instance.orderedAt.set(hash, instance.lastOwned.get(relayer) ?? -1)
      owners.orders(instance, relayer)
    },
    info: (_facts, message) => marks.logged(message),
    warn(facts, message) {
      marks.logged(message)
      if (instance.state !== 'dead') history.note(`p${instance.id} warns: ${message} ${reported(facts)}`)
    },
    error(facts, message) {
      marks.logged(message)
      // The alarm over a service that signs with another key.
      if ('code' in facts && facts.code === 'WrongKey') return history.note(`p${instance.id}: ${message}`)
      if ('cause' in facts && mayTakeBack(facts.cause)) return history.note(`p${instance.id}: ${message}`)
      // A node that a reorganization left behind for long is of no use, as long as it is. Its last such answer may come after it moved.
      if ('expected' in facts && 'shown' in facts && machine.isAbandoned(facts.shown, facts.expected)) {
        return history.note(`p${instance.id}: ${message}`)
      }
      if (instance.state !== 'dead') history.fail(`the engine logged an error: ${message} ${reported(facts)}`)
    },
    isLevelEnabled: () => true,
    child: (facts) => loggerOf(instance, machine, { ...context, ...facts }),
  }
}
