// Networks and their endpoints. An endpoint is named by its place in the configuration: its URL may hold a key.
import type { Metrics } from '../metrics.ts'
import { sendMethods } from '../send-methods.ts'
import type { MetricsIn } from './metrics-in.ts'

export function countChains(metrics: MetricsIn): Metrics['chain'] {
  const { calls, errors, durations, up, lags, wrong, strays, contradictions, ...perNetwork } = register(metrics)
  const { differ, silence, number, blockAt, followers, blocktime, reorgs, lost } = perNetwork
  const followedBy = new Map<string, number>()
  const endpoints = new Map<string, Set<string>>()

  return (network, blocktimeMs) => {
    // A network may be opened anew over other endpoints, while what followed the old ones lets go.
    for (const endpoint of endpoints.get(network) ?? []) {
      up.remove({ network, endpoint })
      wrong.remove({ network, endpoint })
    }
    const known = new Set<string>()
    endpoints.set(network, known)
    blocktime.set({ network }, blocktimeMs / 1000)
    followers.set({ network }, followedBy.get(network) ?? 0)
    reorgs.inc({ network }, 0)
    lost.inc({ network }, 0)
    differ.set({ network }, 0)
    silence.set({ network }, 0)
    let following = 0
    return {
      called(requested, index, answer, ms) {
        const method = methods.has(requested) ? requested : 'other'
        const endpoint = String(index)
        calls.inc({ network, endpoint, method })
        durations.observe({ network, endpoint }, ms / 1000)
        if (answer !== 'value') errors.inc({ network, endpoint, method, kind: kinds[answer] })
      },
      endpoint(index, isUp) {
        const endpoint = String(index)
        if (endpoints.get(network) !== known) return
        known.add(endpoint)
        up.set({ network, endpoint }, isUp ? 1 : 0)
      },
      wrongChain(index, isWrong) {
        const endpoint = String(index)
        if (endpoints.get(network) !== known) return
        known.add(endpoint)
        wrong.set({ network, endpoint }, isWrong ? 1 : 0)
      },
      branchesDiffer: (isSplit) => differ.set({ network }, isSplit ? 1 : 0),
      witnessSilence: (ms) => silence.set({ network }, ms / 1000),
      contradicted: (index) => contradictions.inc({ network, endpoint: String(index) }),
      strayed: (index) => strays.inc({ network, endpoint: String(index) }),
      lagged: (index) => lags.inc({ network, endpoint: String(index) }),
      head(height, at) {
        number.set({ network }, height)
        blockAt.set({ network }, at / 1000)
      },
      blocktime: (ms) => blocktime.set({ network }, ms / 1000),
      reorganized(blocks) {
        reorgs.inc({ network })
        lost.inc({ network }, blocks)
      },
      followed(by) {
        followedBy.set(network, (followedBy.get(network) ?? 0) + by - following)
        following = by
        followers.set({ network }, followedBy.get(network) ?? 0)
      },
    }
  }
}

function register(metrics: MetricsIn) {
  const ofEndpoint = ['network', 'endpoint'] as const
  const ofMethod = ['network', 'endpoint', 'method'] as const
  const calls = metrics.counter('rescind_rpc_calls_total', 'JSON-RPC calls, those inside a batch one by one.', ofMethod)
  const errors = metrics.counter(
    'rescind_rpc_errors_total',
    'Calls without a result: rpc_error (the node said so), unknown (a time-out, a lost line, a rate limit), not_sent.',
    [...ofMethod, 'kind'],
  )
  const durations = metrics.histogram(
    'rescind_rpc_call_duration_seconds',
    'From a call to its answer, the wait for its batch included.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ofEndpoint,
  )
  const up = metrics.gauge(
    'rescind_endpoint_up',
    '1 while the last HTTP request to the endpoint was answered and it serves the right chain, else 0.',
    ofEndpoint,
  )
  const ofOne = (name: string, help: string) => metrics.counter(name, help, ofEndpoint)
  const lags = ofOne(
    'rescind_endpoint_lags_total',
    'How often the endpoint told a head that others had left two blocks or more behind.',
  )
  const wrong = metrics.gauge(
    'rescind_endpoint_wrong_chain',
    '1 while the endpoint serves another chain and is not used, 0 once it serves its own again; see /docs/runbook.md#wrong_chain.',
    ofEndpoint,
  )
  const strays = ofOne(
    'rescind_endpoint_strays_total',
    'Answers about another block, receipt or transaction than the call named.',
  )
  const contradictions = ofOne(
    'rescind_endpoint_contradictions_total',
    'Spenders of nonces on which the endpoint and others contradicted each other.',
  )
  return { calls, errors, durations, up, lags, wrong, strays, contradictions, ...registerNetworks(metrics) }
}

function registerNetworks(metrics: MetricsIn) {
  const gauge = (name: string, help: string) => metrics.gauge(name, help, ['network'])
  const number = gauge('rescind_head_block_number', 'The newest block.')
  const blockAt = gauge(
    'rescind_head_block_timestamp_seconds',
    'When the latest block known was made, by its own word.',
  )
  const differ = gauge(
    'rescind_network_branches_differ',
    '1 while as many endpoints hold one branch of the chain as another, and nothing is settled, else 0; see /docs/runbook.md#branches_differ.',
  )
  const silence = gauge(
    'rescind_network_witness_silence_seconds',
    'How long all endpoints but those of one host have been silent about the blocks of verdicts; see /docs/runbook.md#single_witness.',
  )
  const followers = gauge('rescind_head_followers', 'Relayers with something open; without any the head is not read.')
  const blocktime = gauge(
    'rescind_network_block_time_seconds',
    'As measured; average_blocktime_ms where it is not known yet, or blocks come at no steady pace.',
  )
  const counter = (name: string, help: string) => metrics.counter(name, help, ['network'])
  const reorgs = counter('rescind_reorganisations_total', 'How often known blocks were replaced.')
  const lost = counter('rescind_reorganised_blocks_total', 'Known blocks that were replaced.')
  return { differ, silence, number, blockAt, followers, blocktime, reorgs, lost }
}

const kinds = { rpcError: 'rpc_error', unknown: 'unknown', unsent: 'not_sent' } as const

/** Methods that the service itself calls; a client's pass-through is "other", whatever it names. */
const methods: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getCode',
  'eth_getTransactionByHash',
  'eth_getTransactionBySenderAndNonce',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  ...sendMethods,
  'linea_estimateGas',
  'txpool_contentFrom',
  'web3_clientVersion',
])
