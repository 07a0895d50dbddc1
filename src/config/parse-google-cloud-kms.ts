// A signer of Google Cloud KMS, with a service account or with the credentials of the machine.
import { readMembers } from './members.ts'
import { areGiven, formed, type KeyServiceParts, type KeyServiceSource } from './read-key-service.ts'

const accountMembers = [
  ...['project_id', 'private_key_id', 'private_key', 'client_email', 'client_id', 'auth_uri', 'token_uri'],
  ...['auth_provider_x509_cert_url', 'client_x509_cert_url', 'universe_domain'],
]
/** Parts of the file that Google's console makes. They are shown, and the service uses none of them. */
const unused = ['client_id', 'auth_uri', 'token_uri', 'auth_provider_x509_cert_url', 'client_x509_cert_url']
const publicUniverse = 'googleapis.com'
const name = /^[\w-]{1,63}$/

export function parseGoogleCloudKms(
  content: unknown,
  at: string,
  source: KeyServiceSource,
): KeyServiceParts | undefined {
  const { report, isFile } = source
  const members = readMembers(content, at, ['service_account', 'key'], report)
  const account = readMembers(members.raw('service_account'), members.place('service_account'), accountMembers, report)
  const key = readMembers(
    members.raw('key'),
    members.place('key'),
    ['location', 'key_ring_id', 'key_id', 'key_version'],
    report,
  )
  const projectId = formed(account, 'project_id', /^[a-z0-9.:-]{1,100}$/, 'the id of a project', source)
  const universeDomain = account.text('universe_domain') ?? publicUniverse
  if (!/^[a-z0-9.-]{1,100}$/.test(universeDomain)) {
    report.problem(account.place('universe_domain'), `is no domain; leave it out, or write "${publicUniverse}"`)
  }
  const location = key.text('location') ?? 'global'
  const keyRingId = formed(key, 'key_ring_id', name, 'the name of a key ring, without its project', source)
  const keyId = formed(key, 'key_id', name, 'the name of a key, without its key ring', source)
  const keyVersion = key.count('key_version', { min: 1, max: 2 ** 31 }) ?? 1
  const texts = unused.flatMap((each) => {
    const text = account.text(each)
    return text === undefined ? [] : [[each, text] as const]
  })
  const common = {
    type: 'google_cloud_kms',
    projectId,
    universeDomain,
    key: { location, keyRingId, keyId, keyVersion },
  } as const
  const shown = {
    service_account: { project_id: projectId, ...Object.fromEntries(texts), universe_domain: universeDomain },
    key: { location, key_ring_id: keyRingId, key_id: keyId, key_version: keyVersion },
  }
  if (!account.has('private_key')) {
    if (!isFile && universeDomain !== publicUniverse) {
      const fault = 'would send the credentials of this machine elsewhere'
      report.problem(account.place('universe_domain'), `${fault}; send a private_key with it, or leave it out`)
    }
    return { settings: common, shown }
  }
  const secrets = {
    clientEmail: source.secretOf(account, 'client_email'),
    privateKeyId: source.secretOf(account, 'private_key_id'),
    privateKey: source.secretOf(account, 'private_key'),
  }
  return areGiven(secrets) ? { settings: { ...common, serviceAccount: secrets }, shown } : undefined
}
