// The metadata services of AWS as their documentation describes them: that of a container (ECS, EKS Pod Identity), and version 2 of that
// of an instance.
import { randomUUID } from 'node:crypto'
import type { AwsCredentials } from './fake-aws-kms.ts'
import { type FakeReply, type FakeRequest, type FakeService, startFake } from './fake-service.ts'

const lifeMs = 3_600_000
const folder = '/latest/meta-data/iam/security-credentials/'

/** `known` maps key ids to credentials that the key service accepts. */
export function startFakeAwsMetadata(known: Map<string, AwsCredentials>): Promise<FakeService> {
  return startFake((request) => answer(request, known))
}

function answer({ method, path, headers }: FakeRequest, known: Map<string, AwsCredentials>): FakeReply {
  if (method === 'GET' && path === '/container') return { status: 200, body: issued(known) }
  if (method === 'PUT' && path === '/latest/api/token') return { status: 200, body: 'a-session' }
  if (headers['x-aws-ec2-metadata-token'] !== 'a-session') return { status: 401, body: '' }
  if (path === folder) return { status: 200, body: 'relayer' }
  return path === `${folder}relayer` ? { status: 200, body: issued(known) } : { status: 404, body: '' }
}

function issued(known: Map<string, AwsCredentials>): object {
  const accessKeyId = `ASIA${randomUUID().slice(0, 8).toUpperCase()}`
  const [secretAccessKey, sessionToken] = [randomUUID(), randomUUID()]
  known.set(accessKeyId, { accessKeyId, secretAccessKey, sessionToken })
  const [AccessKeyId, SecretAccessKey, Token] = [accessKeyId, secretAccessKey, sessionToken]
  return {
    Code: 'Success',
    AccessKeyId,
    SecretAccessKey,
    Token,
    Expiration: new Date(Date.now() + lifeMs).toISOString(),
  }
}
