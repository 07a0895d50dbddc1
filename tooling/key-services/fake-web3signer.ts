// Consensys web3signer's REST interface for keys of secp256k1. It hashes the data itself.
import { hexToBytes, keccak256 } from 'viem'
import { type FakeReply, type FakeRequest, type FakeService, type FakeTls, startFake } from './fake-service.ts'
import type { ServedKey } from './served-key.ts'

export interface FakeWeb3signer extends FakeService {
  readonly keys: ServedKey[]
}

export async function startFakeWeb3signer(tls?: FakeTls): Promise<FakeWeb3signer> {
  const keys: ServedKey[] = []
  const fake = await startFake((request) => answer(request, keys), tls)
  return Object.assign(fake, { keys })
}

async function answer({ method, path, body }: FakeRequest, keys: readonly ServedKey[]): Promise<FakeReply> {
  const identifier = ({ publicKey }: ServedKey) => `0x${publicKey.slice(4)}`
  if (method === 'GET' && path === '/api/v1/eth1/publicKeys') return { status: 200, body: keys.map(identifier) }
  const form = /^\/api\/v1\/eth1\/sign\/(0x[0-9a-f]{128})$/.exec(path)
  if (method !== 'POST' || !form) return { status: 404, body: 'Resource not found' }
  const key = keys.find((each) => identifier(each) === form[1])
  if (!key) return { status: 404, body: 'Public Key not found' }
  const { data } = JSON.parse(body.toString()) as { data?: `0x${string}` }
  if (data === undefined) return { status: 400, body: 'Bad request format' }
  const signature = await key.signCompact(hexToBytes(keccak256(data)))
  return { status: 200, body: `0x${signature.toString('hex')}1b` }
}
