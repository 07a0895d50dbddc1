// From the environment and the files it names to one value, once, at start. Nothing else reads configuration.
import { dirname } from 'node:path'
import { memberOf } from '../ops/member.ts'
import { guardRpcHosts } from '../ops/rpc-hosts.ts'
import type { Config } from './config.ts'
import {
  configPath,
  parseDatabase,
  parseEncryption,
  parseLogLevel,
  parseRole,
  parseServer,
  parseWebhooks,
  withDotEnv,
} from './environment.ts'
import { parseRpcHosts, refuseDistributedFile, warnOfForeign } from './foreign-variables.ts'
import { limits } from './limits.ts'
import { type Members, type RefuseUnknown, readMembers } from './members.ts'
import { parseNetworks } from './parse-networks.ts'
import { parseNotifications } from './parse-notifications.ts'
import { parseProxies } from './parse-proxies.ts'
import { parseRelayers, relayerMembers } from './parse-relayers.ts'
import { parseRetention } from './parse-retention.ts'
import { parseSignerEnvironment, parseSigners } from './parse-signers.ts'
import { readJson } from './read-json.ts'
import { type NetworkEntry, nameOf, otherFamilies, readNetworkEntries } from './read-network-entries.ts'
import type { Environment } from './read-reference.ts'
import { openReport, type Report } from './report.ts'
import { tolerateUnknown } from './unknown-members.ts'
import { settleFaults } from './unused-faults.ts'

export const fileMembers = [
  ...[
    '$schema',
    'strict',
    'skip_unsupported',
    'relayers',
    'signers',
    'notifications',
    'networks',
    'retention',
    'plugins',
  ],
]

/**
 * `cwd`: what relative paths start from, and where `.env` is. `isStrict`: as if the file said so. Throws ConfigError with every problem
 * there is.
 */
export async function loadConfig(
  realEnv: Environment,
  cwd: string,
  { isStrict: isStrictCheck = false }: { readonly isStrict?: boolean } = {},
): Promise<Config> {
  const report = openReport()
  const env = await withDotEnv(realEnv, cwd, report)
  const surroundings = parseSurroundings(env, cwd, report)
  const { encryption, rpcHosts, signerEnvironment } = surroundings

  const { path, shownAs } = configPath(env, cwd)
  const missing = `there is none in ${dirname(path)}: run "rescind init", which writes one, or set CONFIG_DIR and CONFIG_FILE_NAME to where it is`
  const content = await readJson(path, shownAs, report, missing)
  // Without a file, nothing more can be said than that.
  if (content === undefined) report.conclude()
  const isStrict = isStrictCheck || memberOf(content, 'strict') === true
  const tolerate = tolerateUnknown(isStrict, report)
  const file = readMembers(content, '', fileMembers, report, tolerate)
  file.setting('strict', false)
  file.setting('skip_unsupported', true)
  refusePlugins(file, report)

  const { signers, found: ofSigners } = parseSigners(file, env, cwd, signerEnvironment, report)
  const { notifications, found: ofNotifications } = parseNotifications(file, env, report)
  const retention = parseRetention(file, cwd, report)
  const listed = servedRelayers(file, report)
  const customUrls = customUrlsByNetwork(listed, report, tolerate)
  const found = await readNetworkEntries(file, path, cwd, report)
  const unserved = found?.unserved ?? new Map<string, string>()
  const entries = [...(found?.entries ?? [])]
  for (const name of customUrls.keys()) {
    const isDefined = unserved.has(name) || entries.some(({ value }) => nameOf(value, 'network') === name)
    if (!isDefined) entries.push({ value: { network: name }, place: `networks (for "${name}", which a relayer uses)` })
  }
  const { networks, found: ofNetworks } = await parseNetworks(
    { entries, unserved },
    customUrls,
    { env, refuseHost: guardRpcHosts(rpcHosts) },
    report,
  )
  const faulty = settleFaults([...ofNetworks, ...ofSigners, ...ofNotifications], listed, report)
  const named = {
    signers: file.items('signers').map(({ value }) => nameOf(value, 'id')),
    unusableSigners: signers.filter(({ type }) => type === 'vault_transit').map(({ id }) => id),
    notifications: file.items('notifications').map(({ value }) => nameOf(value, 'id')),
    ...(found && { networks: entries.map(({ value }) => nameOf(value, 'network')) }),
  }
  const relayers = parseRelayers(
    listed,
    { networks, unserved, named, canSeal: encryption.current !== undefined },
    report,
    tolerate,
  )

  report.conclude()
  const { warnings } = report
  return {
    ...surroundings,
    relayers,
    signers,
    notifications,
    networks,
    faulty,
    retention,
    isStrict,
    limits,
    warnings,
  }
}

/** Parses the settings that only the environment has. */
function parseSurroundings(env: Environment, cwd: string, report: Report) {
  const database = parseDatabase(env, cwd, report)
  const proxies = parseProxies(env, report)
  refuseDistributedFile(env, database, report)
  warnOfForeign(env, report)
  return {
    server: parseServer(env, report),
    database,
    role: parseRole(env, database, report),
    encryption: parseEncryption(env, report),
    webhooks: parseWebhooks(env, report),
    rpcHosts: parseRpcHosts(env, report),
    logLevel: parseLogLevel(env, report),
    signerEnvironment: parseSignerEnvironment(env, cwd),
    ...(proxies && { proxies }),
  }
}

/** The relayers without those of other families of chains: files of services for several families name them beside those of EVM. */
function servedRelayers(file: Members, report: Report): readonly NetworkEntry[] {
  const all = file.items('relayers')
  const others = all.filter(({ value }) => otherFamilies.includes(memberOf(value, 'network_type')))
  // Refused with everything else that is of no type that is served.
  if (others.length === 0 || file.raw('skip_unsupported') === false) return all
  const names = others.map(({ value }) => `${nameOf(value, 'id')} (${memberOf(value, 'network_type')})`)
  report.warn('relayers', `skipped, as only evm is served: ${names.join(', ')}`)
  return all.filter((each) => !others.includes(each))
}

function refusePlugins(file: Members, report: Report): void {
  const plugins = file.raw('plugins')
  const isEmpty =
    plugins === undefined || plugins === null || (typeof plugins === 'object' && Object.keys(plugins).length === 0)
  if (isEmpty) return
  const ids = Array.isArray(plugins) ? plugins.map((plugin) => nameOf(plugin, 'id')) : []
  const named = ids.filter((id) => id !== '').map((id) => `"${id}"`)
  const which = named.length > 0 ? ` (${named.join(', ')})` : ''
  report.problem('plugins', `plug-ins are not run by this service${which}; remove the member "plugins"`)
}

/** Relayers with endpoints of their own. A chain is followed once a network, so they must agree within one. */
function customUrlsByNetwork(
  listed: readonly NetworkEntry[],
  report: Report,
  tolerate: RefuseUnknown,
): Map<string, Members> {
  const byNetwork = new Map<string, Members[]>()
  for (const { value, place } of listed) {
    const relayer = readMembers(value, place, relayerMembers, report, tolerate)
    const network = relayer.raw('network')
    if (typeof network !== 'string' || (relayer.raw('network_type') ?? 'evm') !== 'evm') continue
    byNetwork.set(network, [...(byNetwork.get(network) ?? []), relayer])
  }
  const chosen = new Map<string, Members>()
  for (const [network, relayers] of byNetwork) {
    const own = relayers.find((relayer) => customUrlsOf(relayer) !== undefined)
    if (!own) continue
    chosen.set(network, own)
    const differs = relayers.some((relayer) => fingerprint(relayer) !== fingerprint(own))
    if (!differs) continue
    report.problem(
      own.place('custom_rpc_urls'),
      `differs from that of another relayer on "${network}"; give them one list, or define a second network with ` +
        `"from": "${network}" and rpc_urls of its own`,
    )
  }
  return chosen
}

/** The list of URLs; undefined where there are none: an empty list is none. */
function customUrlsOf(relayer: Members): unknown {
  const urls = relayer.raw('custom_rpc_urls') ?? undefined
  return Array.isArray(urls) && urls.length === 0 ? undefined : urls
}

function fingerprint(relayer: Members): string {
  return JSON.stringify(customUrlsOf(relayer) ?? null, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}
