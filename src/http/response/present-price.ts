// Presents the price of a network, as last read.
import { type Static, Type } from 'typebox'
import type { NetworkPrice } from '../../domain/fees.ts'
import { time, wei } from './forms.ts'
import { presentTime } from './present-time.ts'

export const networkPriceSchema = Type.Object(
  {
    per_gas: wei('Wei for a unit of gas: the base fee and the average tip'),
    block_number: Type.Integer({ minimum: 0, description: 'The head of this reading' }),
    read_at: time(),
  },
  {
    title: 'NetworkPrice',
    additionalProperties: false,
    description: "The network's price as this process last read it; absent before its first reading",
  },
)

export function presentPrice({ perGas, block, readAt }: NetworkPrice): Static<typeof networkPriceSchema> {
  return { per_gas: perGas.toString(), block_number: block, read_at: presentTime(readAt) }
}
