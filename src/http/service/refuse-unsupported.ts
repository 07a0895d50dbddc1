// Refuses operations that similar services have and this one does not; each refusal names the alternative.
import { RescindError } from '../../domain/errors.ts'
import { operation } from '../request/operation.ts'

/** `what` is the subject of the sentence, `instead` the alternative. */
export function refuseUnsupported(operationId: string, what: string, instead: string) {
  return operation({
    scope: 'read',
    schema: { operationId, hide: true },
    async answer() {
      throw new RescindError('NOT_SUPPORTED', `${what} not supported; ${instead}`)
    },
  })
}
