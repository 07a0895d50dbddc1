// Operations that services like this one have and this one has not: each says what there is instead.
import { RescindError } from '../../domain/errors.ts'
import { operation } from '../request/operation.ts'
import { failures } from '../response/envelope.ts'

/** `what` is a sentence's subject, `instead` what to do. */
export function refuseUnsupported(operationId: string, what: string, instead: string) {
  return operation({
    scope: 'read',
    schema: { operationId, hide: true, response: failures(400, 404, 413, 415) },
    async answer() {
      throw new RescindError('NOT_SUPPORTED', `${what} not supported; ${instead}`)
    },
  })
}
