// A real chain, the real service, and the line between them, for one file of tests. Each test takes a relayer of its own.
import { type Anvil, type AnvilOptions, type DevAccount, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { type Client, openClient, until } from '../../../tooling/client.ts'
import { type Hardhat, type HardhatOptions, startHardhat } from '../../../tooling/hardhat.ts'
import type { ChainNode } from '../../../tooling/ledger.ts'
import { type Line, openLine } from '../../../tooling/line.ts'
import { type Service, type ServiceOptions, startService } from '../../../tooling/service.ts'
import type { RelayerOptions, ServiceFiles } from '../../../tooling/service-files.ts'
import { type Rows, rowsOf } from './rows.ts'

/** A node, or a proxy before one: the test calls it apart from the service. */
interface StageNode extends ChainNode, AsyncDisposable {
  readonly url: string
  /** Makes blocks, one by default. */
  mine(blocks?: number): Promise<void>
}

export interface Stage<N> extends AsyncDisposable {
  readonly node: N
  readonly line: Line
  readonly service: Service
  readonly client: Client
  readonly rows: Rows
  /** What the service was started with, for a second process on the same. */
  readonly files: ServiceFiles
  sender(id: string): Sender
  /**
   * Once the service has reported each account at its first start, and surveyed it about a second later: afterwards only steps read them.
   */
  reported(): Promise<void>
}

export interface Sender extends DevAccount {
  readonly id: string
}

export interface StageOptions {
  /** Policies of each relayer, by its id; the n-th has the n-th dev account. */
  readonly relayers: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly requiredConfirmations?: number
  /** As configured, whatever the chain does. Default 100. */
  readonly averageBlocktimeMs?: number
  readonly features?: readonly string[]
  /** `networks[].profile`. */
  readonly profile?: Readonly<Record<string, unknown>>
  /** `networks[].second_witness`. */
  readonly secondWitness?: string
  /** The first of them is every relayer's. */
  readonly notifications?: ServiceFiles['notifications']
  readonly service?: Pick<ServiceOptions, 'env' | 'nodeArguments'>
  /** Of the relayers whose keys are in services, by the relayer's id. */
  readonly signers?: Readonly<Record<string, NonNullable<RelayerOptions['signer']>>>
  /** The endpoints of the service, made from the node's URL and that of the line to it. Default: the line. */
  readonly endpoints?: (urls: {
    readonly node: string
    readonly line: string
  }) => Promise<ServiceFiles['networks'][number]['rpcUrls']>
}

export async function anvilStage(
  options: StageOptions & { anvil?: Omit<AnvilOptions, 'mining'> },
): Promise<Stage<Anvil>> {
  return stageOn(await startAnvil({ mining: 'manual', ...options.anvil }), options)
}

export async function hardhatStage(options: StageOptions & { hardhat?: HardhatOptions }): Promise<Stage<Hardhat>> {
  return stageOn(await startHardhat(options.hardhat), options)
}

/** Takes the node over, and ends it with the stage. */
export async function stageOn<N extends StageNode>(node: N, options: StageOptions): Promise<Stage<N>> {
  await using pieces = new AsyncDisposableStack()
  pieces.use(node)
  const line = pieces.use(await openLine(node.url))
  const senders = Object.keys(options.relayers).map((id, index): Sender => ({ id, ...devAccount(index) }))
  const [hook] = options.notifications ?? []
  const files: ServiceFiles = {
    networks: [
      {
        name: 'localhost',
        rpcUrls: (await options.endpoints?.({ node: node.url, line: line.url })) ?? [line.url],
        requiredConfirmations: options.requiredConfirmations ?? 1,
        averageBlocktimeMs: options.averageBlocktimeMs ?? 100,
        ...(options.features && { features: options.features }),
        ...(options.profile && { profile: options.profile }),
        ...(options.secondWitness !== undefined && { secondWitness: options.secondWitness }),
      },
    ],
    relayers: senders.map(({ id, key }) => ({
      id,
      privateKey: key,
      policies: options.relayers[id] ?? {},
      ...(options.signers?.[id] && { signer: options.signers[id] }),
      ...(hook && { notificationId: hook.id }),
    })),
    ...(options.notifications && { notifications: options.notifications }),
  }
  const service = pieces.use(await startService({ ...files, ...options.service }))
  const client = pieces.use(openClient(service.url, service.apiKey))
  const kept = pieces.move()
  return {
    node,
    line,
    service,
    client,
    files,
    rows: rowsOf(service),
    sender(id) {
      const sender = senders.find((each) => each.id === id)
      if (!sender) throw new Error(`there is no relayer "${id}" on this stage`)
      return sender
    },
    async reported() {
      const lines = () => service.logs().split('"msg":"relayer"').length - 1
      await until(() => lines() >= senders.length, { what: () => `the report at start\n${service.logs()}` })
      await until(() => senders.every(({ address }) => line.looksAt(address) > 0), { what: 'the first surveys' })
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

export type AnyStage = Stage<StageNode>
