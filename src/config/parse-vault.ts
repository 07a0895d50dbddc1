// Signers of HashiCorp Vault: a key in KV version 2, and keys of its transit engine, which no EVM relayer can use.
import { faultOfHeaderValue } from '../ops/request-headers.ts'
import type { VaultAuthentication } from '../signers/settings.ts'
import { type Members, readMembers } from './members.ts'
import { areGiven, baseUrl, filePath, formed, type KeyServiceParts, type KeyServiceSource } from './read-key-service.ts'

const common = ['address', 'namespace', 'role_id', 'secret_id', 'key_name', 'mount_point']
const others = ['token', 'kubernetes_role', 'kubernetes_token_file', 'auth_mount']
/** Where Kubernetes mounts the token of a service account. */
const serviceAccountToken = '/var/run/secrets/kubernetes.io/serviceaccount/token'
/** Segments of a path, without empty ones and dots, which a URL would fold. */
const path = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^/?#\s]+(\/[^/?#\s]+)*$/

export function parseVault(content: unknown, at: string, source: KeyServiceSource): KeyServiceParts | undefined {
  const members = readMembers(content, at, [...common, ...others], source.report)
  const place = parsePlace(members, 'secret', source)
  const authentication = parseAuthentication(members, source)
  return authentication && { settings: { type: 'vault', ...place.settings, authentication }, shown: place.shown }
}

export function parseVaultTransit(content: unknown, at: string, source: KeyServiceSource): KeyServiceParts | undefined {
  const members = readMembers(content, at, [...common, 'pubkey'], source.report)
  const { settings, shown } = parsePlace(members, 'transit', source)
  const publicKey = members.requiredText('pubkey')
  const secrets = { roleId: source.secretOf(members, 'role_id'), secretId: source.secretOf(members, 'secret_id') }
  if (!areGiven(secrets)) return undefined
  return {
    settings: { type: 'vault_transit', ...settings, publicKey, ...secrets },
    shown: { ...shown, pubkey: publicKey },
  }
}

function parsePlace(members: Members, mount: string, source: KeyServiceSource) {
  const url = baseUrl(members, 'address', source, '"https://vault.example.com:8200"')
  const namespace = members.text('namespace')
  const mountPoint = members.text('mount_point')?.trim() ?? mount
  const keyName = formed(
    members,
    'key_name',
    path,
    'the path of a secret below its mount, without a slash at its ends',
    source,
  )
  if (!path.test(mountPoint)) {
    source.report.problem(members.place('mount_point'), `is no path of a mount; write "${mount}", or leave it out`)
  }
  if (namespace !== undefined) checkHeader(members, 'namespace', namespace, source)
  const named = namespace === undefined ? {} : { namespace }
  return {
    settings: { url, ...named, mountPoint, keyName },
    shown: { address: url, ...named, key_name: keyName, mount_point: mountPoint },
  }
}

/** Exactly one of AppRole, a token and Kubernetes. */
function parseAuthentication(members: Members, source: KeyServiceSource): VaultAuthentication | undefined {
  const { report } = source
  const mount = members.text('auth_mount')?.trim()
  if (mount !== undefined && !path.test(mount)) {
    report.problem(members.place('auth_mount'), 'is no path of a mount; write "approle", or leave it out')
  }
  const byRole = members.has('role_id') || members.has('secret_id')
  const ways = [
    byRole && 'role_id',
    members.has('token') && 'token',
    members.has('kubernetes_role') && 'kubernetes_role',
  ]
  const [way, second] = ways.filter((each) => each !== false)
  if (second !== undefined) {
    report.problem(members.place(second), `is a second way to log in beside "${way}"; leave one of the two`)
    return undefined
  }
  if (way === 'token') {
    const token = source.secretOf(members, 'token')
    if (token) checkHeader(members, 'token', token.reveal(), source)
    return token && { kind: 'token', token }
  }
  if (way === 'kubernetes_role') {
    if (!source.isFile) {
      const fault = 'would send a token of this machine elsewhere, which only the configuration file can do'
      report.problem(members.place('kubernetes_role'), `${fault}; send role_id and secret_id`)
    }
    const role = members.requiredText('kubernetes_role')
    const tokenFile = filePath(members, 'kubernetes_token_file', source) ?? serviceAccountToken
    return { kind: 'kubernetes', mount: mount ?? 'kubernetes', role, tokenFile }
  }
  const secrets = { roleId: source.secretOf(members, 'role_id'), secretId: source.secretOf(members, 'secret_id') }
  return areGiven(secrets) ? { kind: 'approle', mount: mount ?? 'approle', ...secrets } : undefined
}

/** Vault gets it in a header of each request. */
function checkHeader(members: Members, name: string, value: string, { report }: KeyServiceSource): void {
  const fault = faultOfHeaderValue(value)
  if (fault !== undefined) report.problem(members.place(name), fault)
}
