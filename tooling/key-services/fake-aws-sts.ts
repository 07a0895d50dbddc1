// AWS STS as its documentation describes it, for the tokens of web identity.
import { randomUUID } from 'node:crypto'
import type { AwsCredentials } from './fake-aws-kms.ts'
import { type FakeReply, type FakeRequest, type FakeService, startFake } from './fake-service.ts'

export interface FakeAwsSts extends FakeService {
  /** The newest credentials that it gave out. */
  readonly issued: { newest?: AwsCredentials & { readonly sessionToken: string } }
}

/** `known` maps key ids to credentials that the key service accepts. Credentials issued here expire after `lifeMs`. */
export async function startFakeAwsSts(known: Map<string, AwsCredentials>, lifeMs = 3_600_000): Promise<FakeAwsSts> {
  const issued: FakeAwsSts['issued'] = {}
  const fake = await startFake((request) => answer(request, known, issued, lifeMs))
  return Object.assign(fake, { issued })
}

export function stsFailure(code: string, message = 'as ordered', status = 400): FakeReply {
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`
  return xml(status, `<ErrorResponse>${error}<RequestId>${randomUUID()}</RequestId></ErrorResponse>`)
}

function xml(status: number, body: string): FakeReply {
  return { status, headers: { 'content-type': 'text/xml' }, body }
}

function answer(
  { body }: FakeRequest,
  known: Map<string, AwsCredentials>,
  issued: FakeAwsSts['issued'],
  lifeMs: number,
): FakeReply {
  const form = new URLSearchParams(body.toString())
  if (form.get('Action') !== 'AssumeRoleWithWebIdentity') return stsFailure('InvalidAction')
  if (!form.get('WebIdentityToken') || !form.get('RoleArn')) return stsFailure('ValidationError')
  const [accessKeyId, secretAccessKey] = [`ASIA${randomUUID().slice(0, 8).toUpperCase()}`, randomUUID()]
  const newest = { accessKeyId, secretAccessKey, sessionToken: `IQoJb3JpZ2luX2VjE${randomUUID()}` }
  issued.newest = newest
  known.set(accessKeyId, newest)
  const credentials = [
    `<AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>`,
    `<SessionToken>${newest.sessionToken}</SessionToken>`,
    `<Expiration>${new Date(Date.now() + lifeMs).toISOString()}</Expiration>`,
  ].join('')
  const result = `<AssumeRoleWithWebIdentityResult><Credentials>${credentials}</Credentials></AssumeRoleWithWebIdentityResult>`
  return xml(200, `<AssumeRoleWithWebIdentityResponse>${result}</AssumeRoleWithWebIdentityResponse>`)
}
