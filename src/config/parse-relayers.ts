// The relayers of the file, each checked against the signers, notifications and networks that it names.
import type { NetworkSettings } from '../domain/settings.ts'
import { refusalOfSkipping } from '../domain/skip-beside-reserve.ts'
import type { RelayerConfig } from './config.ts'
import { type Members, type RefuseUnknown, readMembers, shown } from './members.ts'
import { parsePolicies } from './parse-policies.ts'
import type { Report } from './report.ts'

export const relayerMembers = [
  ...['id', 'name', 'network', 'network_type', 'paused', 'signer_id', 'notification_id', 'policies'],
  'custom_rpc_urls',
]

interface Referents {
  readonly networks: readonly NetworkSettings[]
  /** Networks of families that are not served: the family, by the network's name. */
  readonly unserved: ReadonlyMap<string, string>
  /** Whether there is a key for secrets in the database. */
  readonly canSeal: boolean
  /** Names in the file, well-formed or not: a broken signer is one problem, not one more for each of its relayers. */
  readonly named: {
    readonly signers: readonly string[]
    /** Signers whose keys are of another curve. */
    readonly unusableSigners: readonly string[]
    readonly notifications: readonly string[]
    /** Networks; absent when they could not be read. */
    readonly networks?: readonly string[]
  }
}

/** `listed`: the relayers of the file, without those that are skipped. */
export function parseRelayers(
  listed: readonly { readonly value: unknown; readonly place: string }[],
  referents: Referents,
  report: Report,
  tolerate: RefuseUnknown,
): readonly RelayerConfig[] {
  const relayers: RelayerConfig[] = []
  for (const { value, place } of listed) {
    const members = readMembers(value, place, relayerMembers, report, tolerate)
    const type = members.raw('network_type') ?? 'evm'
    if (type !== 'evm') {
      const [id, network] = [shown(members.raw('id')), shown(members.raw('network'))]
      report.problem(
        members.place('network_type'),
        `is ${shown(type)}; only "evm" is served, so remove relayer ${id}, which uses network ${network}`,
      )
      continue
    }
    const relayer = parseRelayer(members, report)
    const { presignCancel } = relayer.policies
    if (presignCancel && !referents.canSeal) {
      report.problem(
        `${members.place('policies')}.presign_cancel`,
        `is ${presignCancel}, and there is no key to seal the signed no-ops with; set STORAGE_ENCRYPTION_KEY to base64 of 32 bytes (openssl rand -base64 32), or remove the policy`,
      )
    }
    const network = referents.networks.find(({ name }) => name === relayer.network)
    const skipping = network && refusalOfSkipping(relayer.policies, network)
    if (skipping !== undefined) report.problem(`${members.place('policies')}.skip_unfunded`, skipping)
    if (relayers.some(({ id }) => id === relayer.id)) {
      report.problem(members.place('id'), `"${relayer.id}" is defined twice; remove or rename one of the two`)
    }
    checkReferences(relayer, members, referents, report)
    const rival = relayers.find((other) => shareANonceSequence(other, relayer, referents.networks))
    if (rival) {
      report.problem(
        members.place('signer_id'),
        `"${relayer.signerId}" signs for relayer "${rival.id}" on the same chain already, and two would fight over its ` +
          'nonces; give this one another signer',
      )
    }
    relayers.push(relayer)
  }
  if (listed.length === 0) {
    report.warn('relayers', 'there is none, so nothing can be sent')
  }
  return relayers
}

function parseRelayer(members: Members, report: Report): RelayerConfig {
  const id = members.requiredText('id')
  if (id !== '' && !/^[a-zA-Z0-9_-]{1,36}$/.test(id)) {
    report.problem(members.place('id'), `is ${shown(id)}; write at most 36 letters, digits, dashes and underscores`)
  }
  const notificationId = members.text('notification_id')
  return {
    id,
    name: members.text('name') ?? id,
    network: members.requiredText('network'),
    signerId: members.requiredText('signer_id'),
    ...(notificationId !== undefined && { notificationId }),
    paused: members.setting('paused', false),
    policies: parsePolicies(members, report),
  }
}

function checkReferences(relayer: RelayerConfig, members: Members, referents: Referents, report: Report): void {
  const { named, unserved } = referents
  const check = (member: string, id: string | undefined, ids: readonly string[] | undefined, list: string) => {
    if (id === undefined || id === '' || ids === undefined || ids.includes(id)) return
    const choice = ids.length > 0 ? `there are: ${ids.join(', ')}` : `there are none`
    report.problem(members.place(member), `names "${id}", which is not among the ${list}; ${choice}`)
  }
  check('signer_id', relayer.signerId, named.signers, 'signers')
  if (named.unusableSigners.includes(relayer.signerId)) {
    const fault = `names "${relayer.signerId}", a signer of type "vault_transit", whose keys are not of Ethereum's curve`
    report.problem(members.place('signer_id'), `${fault}; give the relayer a signer of another type, such as "vault"`)
  }
  check('notification_id', relayer.notificationId, named.notifications, 'notifications')
  const family = unserved.get(relayer.network)
  if (family === undefined || named.networks?.includes(relayer.network)) {
    check('network', relayer.network, named.networks, 'networks')
    return
  }
  report.problem(
    members.place('network'),
    `relayer "${relayer.id}" uses "${relayer.network}", which is of type ${family}, and only evm is served; ` +
      'name an evm network, or remove the relayer',
  )
}

function shareANonceSequence(one: RelayerConfig, other: RelayerConfig, networks: readonly NetworkSettings[]): boolean {
  const chainOf = ({ network }: RelayerConfig) => networks.find(({ name }) => name === network)?.chainId ?? network
  return one.id !== other.id && one.signerId === other.signerId && chainOf(one) === chainOf(other)
}
