// AWS KMS as its documentation describes it: it recomputes each request's Signature Version 4.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type FakeReply, type FakeRequest, type FakeService, startFake } from './fake-service.ts'
import type { ServedKey } from './served-key.ts'

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

interface AwsKey {
  readonly key: ServedKey
  state: 'Enabled' | 'Disabled' | 'PendingDeletion'
  keySpec: string
  keyUsage: string
}

export interface FakeAwsKms extends FakeService {
  readonly keys: Map<string, AwsKey>
  /** Alias: the id of a key. */
  readonly aliases: Map<string, string>
  readonly credentials: Map<string, AwsCredentials>
  /** Session tokens that are over. */
  readonly expired: Set<string>
  /** How far its clock is ahead of this machine's: it refuses requests whose time is five minutes off. */
  readonly clock: { aheadMs: number }
}

export const awsRegion = 'eu-central-1'
const account = '111122223333'

export function awsArn(id: string): string {
  return `arn:aws:kms:${awsRegion}:${account}:key/${id}`
}

export async function startFakeAwsKms(): Promise<FakeAwsKms> {
  const keys = new Map<string, AwsKey>()
  const aliases = new Map<string, string>()
  const credentials = new Map<string, AwsCredentials>()
  const expired = new Set<string>()
  const clock = { aheadMs: 0 }
  const fake = await startFake(async (request) => {
    const now = Date.now() + clock.aheadMs
    const reply = refusalOf(request, credentials, expired, now) ?? (await answer(request, keys, aliases))
    return { ...reply, headers: { ...reply.headers, date: new Date(now).toUTCString() } }
  })
  return Object.assign(fake, { keys, aliases, credentials, expired, clock })
}

export function awsFailure(type: string, message = 'no', status = 400): FakeReply {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: { __type: type, message } }
}

interface Wanted {
  readonly KeyId?: string
  readonly Message?: string
  readonly MessageType?: string
  readonly SigningAlgorithm?: string
}

async function answer(
  request: FakeRequest,
  keys: ReadonlyMap<string, AwsKey>,
  aliases: ReadonlyMap<string, string>,
): Promise<FakeReply> {
  const wanted = JSON.parse(request.body.toString()) as Wanted
  const named = wanted.KeyId ?? ''
  const last = named.startsWith('arn:') ? named.slice(named.lastIndexOf(':') + 1).replace(/^key\//, '') : named
  const id = aliases.get(last) ?? last
  const key = keys.get(id)
  if (!key) return awsFailure('NotFoundException', `Key '${named}' does not exist`)
  if (key.state === 'Disabled') return awsFailure('DisabledException', `${awsArn(id)} is disabled.`)
  if (key.state === 'PendingDeletion')
    return awsFailure('KMSInvalidStateException', `${awsArn(id)} is pending deletion.`)
  const common = { KeyId: awsArn(id) }
  const success = (body: object): FakeReply => ({
    status: 200,
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-requestid': `request-${named.length}-aws` },
    body: { ...common, ...body },
  })
  if (request.headers['x-amz-target'] === 'TrentService.GetPublicKey') {
    const { keySpec: KeySpec, keyUsage: KeyUsage } = key
    return success({
      KeySpec,
      KeyUsage,
      PublicKey: key.key.spki.toString('base64'),
      SigningAlgorithms: ['ECDSA_SHA_256'],
    })
  }
  if (key.keyUsage !== 'SIGN_VERIFY') return awsFailure('InvalidKeyUsageException')
  const message = Buffer.from(wanted.Message ?? '', 'base64')
  if (wanted.MessageType !== 'DIGEST' || message.length !== 32 || wanted.SigningAlgorithm !== 'ECDSA_SHA_256') {
    return awsFailure('ValidationException', 'Digest is invalid length for algorithm ECDSA_SHA_256.')
  }
  const signature = await key.key.signDer(message)
  return success({ Signature: signature.toString('base64'), SigningAlgorithm: 'ECDSA_SHA_256' })
}

/** Signature Version 4, as "Create a signed AWS API request" describes it. */
function refusalOf(
  { method, path, headers, body }: FakeRequest,
  credentials: ReadonlyMap<string, AwsCredentials>,
  expired: ReadonlySet<string>,
  now: number,
): FakeReply | undefined {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/kms\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const parts = form.exec(headers.authorization ?? '')
  if (!parts) return awsFailure('IncompleteSignatureException')
  const [, keyId = '', day = '', region = '', signed = '', signature = ''] = parts
  const known = credentials.get(keyId)
  if (!known) return awsFailure('UnrecognizedClientException', 'The security token included in the request is invalid.')
  const at = String(headers['x-amz-date'])
  const sentAt = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!at.startsWith(day) || Math.abs(now - sentAt) > 300_000)
    return awsFailure('InvalidSignatureException', 'Signature expired')
  const names = signed.split(';')
  if (!['host', 'x-amz-date', 'x-amz-target'].every((name) => names.includes(name)))
    return awsFailure('InvalidSignatureException')
  const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex')
  const [route = '', query = ''] = path.split('?')
  const lines = names.map((name) => `${name}:${String(headers[name]).trim().replaceAll(/ +/g, ' ')}\n`)
  const canonical = [method, route, query, lines.join(''), signed, sha256(body)].join('\n')
  const scope = `${day}/${region}/kms/aws4_request`
  const text = ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n')
  const hmac = (key: Uint8Array | string, data: string) => createHmac('sha256', key).update(data).digest()
  const signing = [day, region, 'kms', 'aws4_request'].reduce<Uint8Array | string>(hmac, `AWS4${known.secretAccessKey}`)
  if (region !== awsRegion || !timingSafeEqual(hmac(signing, text), Buffer.from(signature, 'hex'))) {
    return awsFailure(
      'InvalidSignatureException',
      'The request signature we calculated does not match the signature you provided.',
    )
  }
  const token = headers['x-amz-security-token']
  if (typeof token === 'string' && expired.has(token))
    return awsFailure('ExpiredTokenException', 'The security token included in the request is expired')
  if (token !== known.sessionToken) return awsFailure('UnrecognizedClientException')
  return undefined
}
