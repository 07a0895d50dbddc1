// The options of a payload, which `send` and `tx replace` share.

import { type Command, Option } from 'commander'
import type { ReplaceInput } from '../client/client.ts'
import { defined } from '../domain/defined.ts'
import { address, wholeNumber } from './command.ts'
import { usage } from './exits.ts'
import { parseAmount } from './format.ts'

export interface PayloadOptions {
  readonly to?: string
  readonly value: string
  readonly data?: string
  readonly gasLimit?: number
  readonly allowOutOfGas?: boolean
  readonly speed?: 'safeLow' | 'average' | 'fast' | 'fastest'
  readonly gasPrice?: string
  readonly maxFee?: string
  readonly maxTip?: string
  readonly validUntil?: string
  readonly hold?: boolean
  readonly holdFor?: string
  readonly notBefore?: string
}

export function withPayload(command: Command): Command {
  return command
    .option('--to <address>', 'the receiver (default: none, which creates a contract from --data)', address('--to'))
    .requiredOption('--value <amount>', 'amount: 1.5ether, 20gwei, or wei as a whole number')
    .option('--data <hex>', 'data of the call')
    .option('--gas-limit <gas>', 'gas limit (default: estimated)', wholeNumber('--gas-limit', 12_000))
    .option('--allow-out-of-gas', 'keep the gas limit, although it may not pay for a new account')
    .addOption(new Option('--speed <name>', 'price by the market').choices(['safeLow', 'average', 'fast', 'fastest']))
    .option('--gas-price <amount>', 'a price of your own, for a legacy transaction')
    .option('--max-fee <amount>', 'a price of your own: max_fee_per_gas; together with --max-tip')
    .option('--max-tip <amount>', 'max_priority_fee_per_gas')
    .option('--valid-until <time>', 'cancel it at this time (RFC 3339)')
    .option('--hold', 'keep it on hold until a release')
    .option('--hold-for <duration>', 'keep it on hold so long: 30s to 24h')
    .option('--not-before <time>', 'keep it on hold until this time (RFC 3339)')
}

export function payloadOf(options: PayloadOptions): ReplaceInput {
  const { to, data, gasLimit, speed, gasPrice, maxFee, maxTip, validUntil, holdFor, notBefore } = options
  if (to === undefined && data === undefined) throw usage('--to is missing; a contract creation needs --data instead')
  return {
    ...(to !== undefined && { to }),
    value: parseAmount('--value', options.value),
    ...defined({ data, gas_limit: gasLimit }),
    ...(options.allowOutOfGas === true && { allow_out_of_gas: true }),
    ...(speed !== undefined && { speed }),
    ...(gasPrice !== undefined && { gas_price: parseAmount('--gas-price', gasPrice) }),
    ...(maxFee !== undefined && { max_fee_per_gas: parseAmount('--max-fee', maxFee) }),
    ...(maxTip !== undefined && { max_priority_fee_per_gas: parseAmount('--max-tip', maxTip) }),
    ...(validUntil !== undefined && { valid_until: validUntil }),
    ...(options.hold === true && { hold: true }),
    ...defined({ hold_for: holdFor, not_before: notBefore }),
  }
}
