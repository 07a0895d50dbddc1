// Presents the pause of a network.
import { type Static, Type } from 'typebox'
import type { NetworkPause } from '../../domain/pause.ts'
import { some, such, time } from './forms.ts'
import { presentTime } from './present-time.ts'

export const networkPauseSchema = Type.Object(
  { at: time(), by: such(some.apiKeyId, 'The id of the API key'), note: Type.Optional(such('the chain has halted')) },
  {
    title: 'NetworkPause',
    additionalProperties: false,
    description: 'The whole network is paused, with all of its relayers; absent while it is not',
  },
)

export function presentPause({ at, ...rest }: NetworkPause): Static<typeof networkPauseSchema> {
  return { at: presentTime(at), ...rest }
}
