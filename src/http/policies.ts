// The policies in a body: their names and kinds. Their values are read as the configuration file's are.
import { Type } from 'typebox'

const wei = (meaning: string) =>
  Type.Optional(
    Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]{1,78}$' }), Type.Null()], {
      description: `wei as an integer or a decimal string: ${meaning}`,
    }),
  )
const flag = (meaning: string) =>
  Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { description: `true or false: ${meaning}` }))

export const policiesInBody = Type.Object(
  {
    min_balance: wei('below it nothing new gets a nonce'),
    gas_price_cap: wei('the most that a send may pay for a unit of gas'),
    cancel_gas_price_cap: wei('the most that the no-op of a cancellation may pay for a unit of gas'),
    cancel_reserve: wei('balance kept back from sends, so that a cancellation can be paid'),
    max_in_flight: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
        description: 'an integer from 1: transactions with a nonce that are not mined',
      }),
    ),
    eip1559_pricing: flag(
      'false prices sends by speed as legacy transactions; fees that a client names keep their type',
    ),
    gas_limit_estimation: flag('false wants a gas_limit of each send'),
    whitelist_receivers: Type.Optional(
      Type.Union([Type.Array(Type.String()), Type.Null()], { description: 'a list of addresses that sends may go to' }),
    ),
    whitelist_selectors: Type.Optional(
      Type.Union([Type.Record(Type.String(), Type.Array(Type.String())), Type.Null()], {
        description: 'an object of lists of selectors by receiver, {"0x…": ["0xa9059cbb"]}: what may be called there',
      }),
    ),
    value_cap: wei('the most that a send may carry'),
    private_transactions: flag('true is refused'),
    include_revert_data: flag('without effect'),
  },
  { additionalProperties: false, description: 'an object of policies', examples: [{ gas_price_cap: 100_000_000_000 }] },
)
