// The signers of the OpenAPI document are those that the parsers take: what it allows they take, and what it forbids they refuse.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSigner } from '../../src/config/read-signer.ts'
import { requestedSignerTypes } from '../../src/domain/signer-table.ts'
import { signerVariants } from '../../src/http/signers/signer-variants.ts'
import { secret } from '../../src/ops/secret.ts'
import { fitting, judgeBy, type Schema, spoiledBy } from '../openapi/support/arbitrary.ts'

/** FUZZ_SEED=7 finds other things as well. */
const { FUZZ_SEED: given = 20_261_123 } = process.env
const seed = Number(given)
const numRuns = 100

const environment = {
  pkcs11Modules: ['/usr/lib/softhsm/libsofthsm2.so'],
  azureTenantId: secret('a tenant'),
  azureClientId: secret('a client'),
  azureFederatedTokenFile: secret('/a/file'),
}

interface Body {
  readonly type: string
  readonly config: Readonly<Record<string, unknown>>
  readonly address?: string | null
}

const typeOf = ({ properties: { type } = {} }: Schema) => String(type?.enum?.[0])
const variants = (signerVariants as readonly Schema[]).map((schema) => [typeOf(schema), schema] as const)

/** The process names its libraries. */
const withLibrary = (body: Body): Body =>
  body.type === 'pkcs11' ? { ...body, config: { ...body.config, module: environment.pkcs11Modules[0] } } : body

function isTaken({ type, config, address }: Body): boolean {
  return 'signer' in readSigner('one', { type, config, ...(address != null && { address }) }, environment)
}

test('every type has its variant', () => {
  expect(variants.map(([type]) => type)).toEqual(requestedSignerTypes)
})

// A plain key is opened by the service at once: test/openapi/examples.test.ts tries it.
describe.each(variants.filter(([type]) => type !== 'plain'))('%s', (_, schema) => {
  const bodies = fitting(schema).map((body) => withLibrary(body as Body))

  test('what the document allows is taken', () => {
    expect(fc.sample(bodies, { seed, numRuns }).filter((body) => !isTaken(body))).toEqual([])
  })

  test('what it forbids is refused', () => {
    const judge = judgeBy(schema)
    const spoiled = bodies
      .chain((body) => spoiledBy(fc.constant(body.config)).map((config) => ({ ...body, config }) as Body))
      .filter((body) => !judge(body))
    expect(fc.sample(spoiled, { seed, numRuns }).filter(isTaken)).toEqual([])
  })
})
