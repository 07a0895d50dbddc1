// Runs every check. After a configuration that can not be read, nothing else is checked.
import type { Config } from '../../config/config.ts'
import { withDotEnv } from '../../config/environment.ts'
import { loadConfig } from '../../config/load-config.ts'
import { ConfigError, openReport } from '../../config/report.ts'
import type { Address } from '../../domain/ids.ts'
import { systemClock } from '../../ops/clock.ts'
import { guardAddresses } from '../../ops/guard-addresses.ts'
import { silentLogger } from '../../ops/logger.ts'
import { SignerError } from '../../ops/operator-error.ts'
import { systemRandom } from '../../ops/random.ts'
import { openSigners, signerContext } from '../../signers/open-signers.ts'
import type { CommandLife } from '../terminal.ts'
import { checkDatabase } from './check-database.ts'
import { accountsOf, checkNetworks } from './check-networks.ts'
import { checkPorts } from './check-ports.ts'
import { checkReceivers } from './check-receivers.ts'
import { checkWebhooks } from './check-webhooks.ts'
import type { Finding } from './finding.ts'
import { differencesOf } from './openzeppelin-differences.ts'
import { readStored } from './read-stored.ts'

interface CheckOptions {
  readonly isStrict?: boolean
  /** Lists what differs from OpenZeppelin Relayer, which may still run with this folder. */
  readonly comparesOpenZeppelin?: boolean
  /** Calls the nodes of networks that no relayer uses, too. */
  readonly allNetworks?: boolean
}

export async function checkAll(
  { env, directory }: Pick<CommandLife, 'env' | 'directory'>,
  progress: (line: string) => void,
  { isStrict = false, comparesOpenZeppelin = false, allNetworks = false }: CheckOptions = {},
): Promise<readonly Finding[]> {
  progress('reading the configuration')
  const place = 'configuration'
  const config = await loadConfig(env, directory, { isStrict }).catch((error: unknown) => {
    if (error instanceof ConfigError) return error
    throw error
  })
  const differences = async (read?: Config) =>
    comparesOpenZeppelin ? differencesOf(read, await withDotEnv(env, directory, openReport())) : []
  if (config instanceof ConfigError) {
    const problems = config.problems.map(({ place: at, message }) => ({
      ...{ level: 'error' as const, place, check: at, text: message },
    }))
    return [...problems, ...(await differences())]
  }
  const { relayers, signers, networks, proxies } = config
  const text = `relayers: ${relayers.length}, signers: ${signers.length}, networks: ${networks.length}`
  const findings: Finding[] = [
    { level: 'ok', place, check: 'files', text },
    ...config.warnings.map((warning) => ({ level: 'warning' as const, place, check: 'files', text: warning })),
  ]
  progress('opening the signers')
  const addresses = new Map<string, Address>()
  const signing = signerContext({
    log: silentLogger,
    clock: systemClock,
    random: systemRandom(),
    ...(proxies && { proxies }),
  })
  for (const signer of signers) {
    // A key that no relayer can use.
    if (signer.type === 'vault_transit') continue
    const check = `signer ${signer.id}`
    try {
      const opened = (await openSigners([signer], signing)).get(signer.id)
      if (!opened) continue
      const outage = opened.remote?.outage()
      await opened.close?.()
      addresses.set(signer.id, opened.address)
      const fault = outage && `${opened.address}: its key service does not sign (${outage.code})`
      findings.push({ level: fault ? 'error' : 'ok', place, check, text: fault ?? opened.address })
    } catch (error) {
      if (!(error instanceof SignerError)) throw error
      const isUsed = relayers.some(({ signerId }) => signerId === signer.id)
      findings.push({ level: isUsed ? 'error' : 'warning', place, check, text: error.message })
    }
  }
  const stored = await readStored(config.database)
  findings.push(...checkReceivers(relayers, stored))
  findings.push(...(await checkWebhooks(config.notifications, guardAddresses(config.webhooks.allowedHosts))))
  findings.push(...(await checkPorts(config.server)))
  progress('opening the database')
  findings.push(...(await checkDatabase(config.database)))
  const accounts = accountsOf(relayers, addresses, stored)
  const { rpcTimeoutMs: timeoutMs } = config.limits
  findings.push(...(await checkNetworks({ networks, accounts, isEvery: allNetworks, timeoutMs, progress })))
  if (!comparesOpenZeppelin) return findings
  return [...findings.map(asAtMove), ...(await differences(config))]
}

/** The other service may hold the ports, and a node that does not answer prevents no start. */
function asAtMove(finding: Finding): Finding {
  const preventsStart = ['configuration', 'database'].includes(finding.place)
  return finding.level === 'error' && !preventsStart ? { ...finding, level: 'warning' } : finding
}
