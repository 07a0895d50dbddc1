// The nodes of the networks that relayers use, side by side, and the balance of each relayer. A folder may name dozens of networks for
// one relayer, as the incumbent's examples do.
import { callAlone } from '../../chain/nodes/call-alone.ts'
import { toBigInt, toNumber } from '../../chain/nodes/decode.ts'
import { openTransport } from '../../chain/nodes/transport.ts'
import type { RelayerConfig } from '../../config/config.ts'
import type { Address } from '../../domain/ids.ts'
import { refusalOfKept } from '../../domain/no-balance.ts'
import type { Policies } from '../../domain/policy-table.ts'
import type { EndpointSettings, NetworkSettings } from '../../domain/settings.ts'
import { isNoBalance, noBalanceText } from '../../domain/shown-amount.ts'
import type { Wei } from '../../domain/units.ts'
import { systemClock } from '../../ops/clock.ts'
import { ether } from '../format.ts'
import { checkEndpoint } from './check-endpoint.ts'
import type { Finding } from './finding.ts'
import { madeByApi, noRows, type StoredRows } from './read-stored.ts'

/** A relayer and its account; without an address if its signer did not open before. */
interface RelayerAccount {
  readonly relayer: string
  readonly network: string
  readonly address: Address | undefined
  /** Absent for a relayer that the API made: it refuses what does not fit. */
  readonly policies?: Policies
}

type FileRelayer = Pick<RelayerConfig, 'id' | 'network' | 'signerId'> & Partial<Pick<RelayerConfig, 'policies'>>

/** `addresses`: by the signer. */
export function accountsOf(
  file: readonly FileRelayer[],
  addresses: ReadonlyMap<string, Address>,
  stored: StoredRows = noRows,
): readonly RelayerAccount[] {
  const known = new Map(stored.relayers.map(({ id, address }) => [id, address]))
  return [
    ...file.map(({ id, network, signerId, policies }) => ({
      ...{ relayer: id, network, ...(policies && { policies }) },
      address: addresses.get(signerId) ?? known.get(id),
    })),
    ...madeByApi(stored).map(({ id, network, address }) => ({ relayer: id, network, address })),
  ]
}

interface NetworksCheck {
  readonly networks: readonly NetworkSettings[]
  readonly accounts: readonly RelayerAccount[]
  /** Checks the networks that no relayer uses, too. */
  readonly isEvery: boolean
  readonly timeoutMs: number
  readonly progress: (line: string) => void
}

/** The findings in the order of the configuration, not of the answers. */
export async function checkNetworks(options: NetworksCheck): Promise<readonly Finding[]> {
  const { networks, accounts, isEvery, timeoutMs, progress } = options
  const used = new Set(accounts.map(({ network }) => network))
  const checked = networks.filter(({ name }) => isEvery || used.has(name))
  let left = checked.reduce((sum, { rpcUrls }) => sum + rpcUrls.length, 0)
  const report = () => progress(`reading ${checked.length} networks: ${left} endpoints still to answer`)
  report()
  const found = checked.map(async (network) => {
    const own = accounts.filter((each) => each.network === network.name)
    const address = own.find((each) => each.address !== undefined)?.address
    const endpoints = network.rpcUrls.map(async (endpoint, index) => {
      const place = `${network.name}, endpoint ${index + 1}`
      const findings = await checkEndpoint({ place, network, endpoint, address, timeoutMs })
      left -= 1
      report()
      return findings
    })
    return [...(await Promise.all(endpoints)).flat(), ...(await checkBalances(network, own, timeoutMs))]
  })
  const skipped = networks.length - checked.length
  const text = `${skipped} of ${networks.length} networks are used by no relayer, and not called; --all-networks calls them`
  const unused: Finding = { level: 'ok', place: 'networks', check: 'unused', text }
  return [...(skipped > 0 ? [unused] : []), ...(await Promise.all(found)).flat()]
}

/** Checks balances by the first endpoint of the network that answers. */
async function checkBalances(
  network: NetworkSettings,
  accounts: readonly RelayerAccount[],
  timeoutMs: number,
): Promise<readonly Finding[]> {
  const unread = accounts.filter(({ address }) => address !== undefined)
  if (unread.length === 0) return []
  for (const endpoint of network.rpcUrls) {
    const found = await balancesFrom(endpoint, network, unread, timeoutMs)
    if (found) return found
  }
  return unread.map(({ relayer }) =>
    balance(relayer, 'warning', `not read: no endpoint of ${network.name} with its chain returned it`),
  )
}

/** The balances; undefined if the endpoint serves another chain, or does not return every one. */
async function balancesFrom(
  { url, headers }: EndpointSettings,
  { chainId }: NetworkSettings,
  accounts: readonly RelayerAccount[],
  timeoutMs: number,
): Promise<readonly Finding[] | undefined> {
  const transport = openTransport({ url: url.reveal(), ...(headers && { headers }), clock: systemClock, timeoutMs })
  try {
    const id = await callAlone(transport, { method: 'eth_chainId', params: [] })
    if (id.kind !== 'value' || toNumber(id.value) !== chainId) return undefined
    const found: Finding[] = []
    for (const { relayer, address, policies } of accounts) {
      const answer = await callAlone(transport, { method: 'eth_getBalance', params: [address, 'latest'] })
      const wei = answer.kind === 'value' ? toBigInt(answer.value) : undefined
      if (wei === undefined) return undefined
      found.push(balanceFound(relayer, wei, String(address), policies))
    }
    return found
  } finally {
    await transport.close()
  }
}

function balanceFound(relayer: string, wei: Wei, address: string, policies: Policies | undefined): Finding {
  const refusal = policies && refusalOfKept(policies, wei)
  if (refusal !== undefined) return balance(relayer, 'error', `policies.${refusal}`)
  if (isNoBalance(wei)) return balance(relayer, 'ok', noBalanceText)
  if (wei > 0n) return balance(relayer, 'ok', `${ether(String(wei))} at ${address}`)
  return balance(relayer, 'warning', `${address} holds nothing: it pays for gas, so send it some`)
}

function balance(relayer: string, level: Finding['level'], text: string): Finding {
  return { level, place: `relayer ${relayer}`, check: 'balance', text }
}
