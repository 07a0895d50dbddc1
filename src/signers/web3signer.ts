// Signs with a key of Consensys web3signer, over its REST interface. It computes the digest itself, so it gets the
// preimage.
import { readFile } from 'node:fs/promises'
import { Agent } from 'undici'
import type { Hex } from '../domain/ids.ts'
import { uncompressed } from '../ops/curve-point.ts'
import { memberOf } from '../ops/member.ts'
import { SignerError } from '../ops/operator-error.ts'
import { exchange, malformed, permanent, refusedBy, type ServiceAccess, type ServiceAnswer } from './exchange.ts'
import { type KeyService, KeyServiceError } from './key-service.ts'
import { proxyDispatcher } from './proxies.ts'
import type { Web3signerSettings } from './settings.ts'

/** The quota of the operator's own service, which documents no limit. */
const quota = { perSecond: 500, concurrency: 32 }

/** Throws SignerError for a file that can't be read. */
export async function openWeb3signer(
  settings: Web3signerSettings & { readonly id: string },
  access: ServiceAccess,
): Promise<KeyService> {
  const { id, publicKey, tls } = settings
  const url = settings.url.replace(/\/+$/, '')
  const connect = tls && (await readFiles(id, tls))
  const agent = connect && (access.proxies ? proxyDispatcher(access.proxies, connect) : new Agent({ connect }))
  const reached = agent ? { ...access, dispatcher: agent } : access
  // Its identifiers are public keys without the byte that says "uncompressed".
  const identifier = `0x${publicKey.slice(4)}`

  return {
    quotaDomain: `web3signer:${url}`,
    quota,
    canProbe: true,
    async open(signal) {
      const answer = await exchange({ url: `${url}/api/v1/eth1/publicKeys` }, reached, signal)
      if (answer.status !== 200) throw refused(answer, access)
      if (!Array.isArray(answer.body)) throw malformed('list of public keys')
      // It answers before its keys are loaded.
      if (answer.body.length === 0) {
        throw new KeyServiceError('it has loaded no key yet', { kind: 'transient', code: 'NO_KEYS' })
      }
      if (!answer.body.some((each) => typeof each === 'string' && uncompressed(each) === publicKey)) {
        throw permanent(`it has no key ${identifier}; load the key there, or correct public_key`, 'KEY_NOT_FOUND')
      }
      return { publicKey, keyVersion: identifier }
    },
    async sign({ preimage }, signal) {
      const target = `${url}/api/v1/eth1/sign/${identifier}`
      const request = { url: target, headers: { accept: 'text/plain' }, body: JSON.stringify({ data: preimage }) }
      const answer = await exchange(request, reached, signal)
      if (answer.status !== 200) throw refused(answer, access)
      const text = typeof answer.body === 'string' ? answer.body : answer.text.trim()
      if (!isSignature(text)) throw malformed('signature')
      return { encoding: 'compact', bytes: text }
    },
    ...(agent && { close: () => agent.destroy() }),
  }
}

function refused(answer: ServiceAnswer, { clock }: ServiceAccess): KeyServiceError {
  if (!answer.text.includes('Host not authorized')) return refusedBy(answer, undefined, clock, 'web3signer')
  return permanent('it refuses the host of its url; name the host in its --http-host-allowlist', 'HOST_NOT_AUTHORIZED')
}

function isSignature(text: string): text is Hex {
  return /^0x[0-9a-f]{130}$/i.test(text)
}

async function readFiles(id: string, { caFile, certificateFile, keyFile }: NonNullable<Web3signerSettings['tls']>) {
  const read = async (path: string | undefined) => {
    if (path === undefined) return undefined
    try {
      return await readFile(path, 'utf8')
    } catch (error) {
      const code = String(memberOf(error, 'code'))
      throw new SignerError(`signer "${id}": a file of its tls can't be read (${code}); check path and permissions`)
    }
  }
  const [ca, cert, key] = await Promise.all([caFile, certificateFile, keyFile].map(read))
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) }
}
