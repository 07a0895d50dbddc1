// Signers of Turnkey, Coinbase Developer Platform, web3signer and PKCS#11.

import { resolve } from 'node:path'
import { defined } from '../domain/defined.ts'
import { uncompressed } from '../ops/curve-point.ts'
import { type Members, readMembers } from './members.ts'
import { parseAddress } from './parse-whitelists.ts'
import { areGiven, baseUrl, filePath, formed, type KeyServiceParts, type KeyServiceSource } from './read-key-service.ts'

export function parseTurnkey(content: unknown, at: string, source: KeyServiceSource): KeyServiceParts | undefined {
  const names = ['api_public_key', 'api_private_key', 'organization_id', 'private_key_id', 'public_key']
  const members = readMembers(content, at, names, source.report)
  const compressed = /^0[23][0-9a-f]{64}$/i
  const apiPublicKey = formed(members, 'api_public_key', compressed, '66 hex digits: a compressed key of P-256', source)
  const organizationId = formed(members, 'organization_id', /^[\w-]{1,80}$/, 'the id of an organization', source)
  const privateKeyId = formed(members, 'private_key_id', /^[\w-]{1,80}$/, 'the id of a private key', source)
  const apiPrivateKey = source.trimmedSecretOf(members, 'api_private_key')
  const publicKey = parsePublicKey(members, source)
  if (!apiPrivateKey || !publicKey) return undefined
  return {
    settings: { type: 'turnkey', apiPublicKey, apiPrivateKey, organizationId, privateKeyId, publicKey },
    shown: {
      api_public_key: apiPublicKey,
      organization_id: organizationId,
      private_key_id: privateKeyId,
      public_key: members.text('public_key')?.trim(),
    },
  }
}

export function parseCdp(content: unknown, at: string, source: KeyServiceSource): KeyServiceParts | undefined {
  const names = ['api_key_id', 'api_key_secret', 'wallet_secret', 'account_address']
  const members = readMembers(content, at, names, source.report)
  const apiKeyId = members.requiredText('api_key_id')
  const accountAddress = parseAddress(members.raw('account_address'), members.place('account_address'), source.report)
  const secrets = {
    apiKeySecret: source.secretOf(members, 'api_key_secret'),
    walletSecret: source.secretOf(members, 'wallet_secret'),
  }
  if (!accountAddress || !areGiven(secrets)) return undefined
  return {
    settings: { type: 'cdp', apiKeyId, accountAddress, ...secrets },
    shown: { api_key_id: apiKeyId, account_address: accountAddress },
  }
}

export function parseWeb3signer(content: unknown, at: string, source: KeyServiceSource): KeyServiceParts | undefined {
  const members = readMembers(content, at, ['url', 'public_key', 'tls'], source.report)
  const url = baseUrl(members, 'url', source, '"https://web3signer.internal:9000"')
  const publicKey = parsePublicKey(members, source)
  const tls = members.has('tls') ? parseTls(members, source) : undefined
  if (!publicKey) return undefined
  return {
    settings: { type: 'web3signer', url, publicKey, ...(tls && { tls }) },
    shown: { url, public_key: members.text('public_key')?.trim() },
  }
}

function parseTls(members: Members, source: KeyServiceSource) {
  const { report } = source
  const names = ['ca_file', 'certificate_file', 'key_file']
  const tls = readMembers(members.raw('tls'), members.place('tls'), names, report)
  const [caFile, certificateFile, keyFile] = names.map((name) => filePath(tls, name, source))
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    const absent = keyFile === undefined ? 'key_file' : 'certificate_file'
    report.problem(tls.place(absent), 'is missing; certificate_file and key_file belong together')
  }
  return {
    ...defined({ caFile, certificateFile, keyFile }),
  }
}

export function parsePkcs11(content: unknown, at: string, source: KeyServiceSource): KeyServiceParts | undefined {
  const { report, isFile, cwd, environment } = source
  const members = readMembers(content, at, ['module', 'token_label', 'pin', 'key_label'], report)
  const module = resolve(cwd, members.requiredText('module'))
  // A library runs in this process, with all its rights.
  if (!isFile && !environment.pkcs11Modules.includes(module)) {
    const fix = 'add its path to PKCS11_MODULES and restart, or use the configuration file'
    report.problem(members.place('module'), `is a library that requests may not name; ${fix}`)
  }
  const tokenLabel = members.requiredText('token_label')
  const keyLabel = members.requiredText('key_label')
  const pin = source.secretOf(members, 'pin')
  if (!pin) return undefined
  return {
    settings: { type: 'pkcs11', module, tokenLabel, keyLabel, pin },
    shown: { module, token_label: tokenLabel, key_label: keyLabel },
  }
}

function parsePublicKey(members: Members, { report }: KeyServiceSource) {
  const text = members.requiredText('public_key').trim()
  const publicKey = uncompressed(text)
  if (text !== '' && publicKey === undefined) {
    const wanted = '66 hex digits (compressed) or 130 (uncompressed), with or without 0x'
    report.problem(members.place('public_key'), `is no public key of secp256k1; write ${wanted}`)
  }
  return publicKey
}
