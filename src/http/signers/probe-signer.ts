// Probes a signer (POST): whether its key service signs now, and how fast.
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { probeSigner as probeSignerCommand } from '../../commands/signers/probe-signer.ts'
import { operation } from '../request/operation.ts'
import { signerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { address, closed, optionalInteger, such, time } from '../response/forms.ts'
import { presentTime } from '../response/present-values.ts'

const probeSchema = closed('SignerProbe')({
  id: such('payouts'),
  address: address(),
  key_version: such('arn:aws:kms:eu-central-1:111122223333:key/1234abcd', 'as its key service names it'),
  latency_ms: Type.Integer({
    minimum: 0,
    description: 'of the signature, with its retries and its place in the queue',
  }),
  clock_ahead_seconds: optionalInteger({
    description: "how far the service's clock is ahead of the key service's; absent where its answers have no date",
  }),
  token_ends_at: Type.Optional(time('when the access token ends; absent without one')),
})

export function probeSigner(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['SIGNER_NOT_FOUND', 'NOT_SUPPORTED', 'SIGNER_UNAVAILABLE'],
    operationId: 'probeSigner',
    summary: 'Probe a signer',
    description:
      'Signs the fixed text that opening a signer signs, and shows no signature. Refused for a key in this process.',
    params: signerParameters,
    response: answers(probeSchema),
    async answer({ params: { signer_id: id } }) {
      const probe = await probeSignerCommand(management, id)
      const { tokenEndsInMs, clockAheadMs } = probe
      return success({
        ...{ id, address: probe.address, key_version: probe.keyVersion, latency_ms: Math.round(probe.latencyMs) },
        ...(clockAheadMs !== undefined && { clock_ahead_seconds: Math.round(clockAheadMs / 1_000) }),
        ...(tokenEndsInMs !== undefined && { token_ends_at: presentTime(management.clock.now() + tokenEndsInMs) }),
      })
    },
  })
}
