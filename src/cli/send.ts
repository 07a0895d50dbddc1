// rescind send: stores one transaction, at most once, whatever happens to the connection.
import { type Command, Option } from 'commander'
import { ApiError, type Client, NoAnswer, type SendInput, type TransactionView } from '../client/client.ts'
import { systemClock } from '../ops/clock.ts'
import { freshId } from '../ops/fresh-id.ts'
import { systemRandom } from '../ops/random.ts'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connect, type RelayerOptions, relayerOf } from './connect.ts'
import { CommandError, type Exit, exits, usage } from './exits.ts'
import { parseAmount } from './format.ts'
import { wholeNumber } from './options.ts'

interface Options extends RelayerOptions {
  readonly json?: true
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
  readonly idempotencyKey?: string
}

export function addSend(program: Command, act: Act): void {
  relayerCommand(program, 'send', 'send a transaction, and print its id')
    .option('--to <address>', 'the receiver (default: none, which creates a contract from --data)')
    .requiredOption('--value <amount>', 'amount: 1.5ether, 20gwei, or wei as a whole number')
    .option('--data <hex>', 'data of the call')
    .option('--gas-limit <gas>', 'gas limit (default: estimated)', wholeNumber('--gas-limit', 12_000))
    .option('--allow-out-of-gas', 'keep the gas limit, although it may not pay for a new account')
    .addOption(new Option('--speed <name>', 'price by the market').choices(['safeLow', 'average', 'fast', 'fastest']))
    .option('--gas-price <amount>', 'a price of your own, for a legacy transaction')
    .option('--max-fee <amount>', 'a price of your own: max_fee_per_gas; together with --max-tip')
    .option('--max-tip <amount>', 'max_priority_fee_per_gas')
    .option('--valid-until <time>', 'cancel it at this time (RFC 3339)')
    .option('--idempotency-key <key>', 'send at most once under this key (default: a new one)')
    .action(act(send))
}

async function send({ life, terminal }: Around, options: Options): Promise<Exit> {
  const input = inputOf(options)
  const { client } = await connect(life, options)
  const relayer = await relayerOf(client, options)
  const key = options.idempotencyKey ?? freshId<string>(systemRandom(), systemClock.now())
  const sent = await sendOnce(client, relayer, input, key, life.stop)
  if (options.json) terminal.printJson(sent)
  else {
    terminal.print(sent.id)
    terminal.say(`stored; "rescind tx watch ${sent.id} -r ${relayer}" follows it`)
  }
  return exits.done
}

const triesMax = 4

/** The key makes every try the same request, so a try whose outcome is unknown is repeated. */
async function sendOnce(
  client: Client,
  relayer: string,
  input: SendInput,
  idempotencyKey: string,
  stop: AbortSignal,
): Promise<TransactionView> {
  for (let left = triesMax; ; left -= 1) {
    try {
      return await client.send(relayer, input, { idempotencyKey })
    } catch (error) {
      const isUnknown =
        error instanceof NoAnswer
          ? !error.isUnsent || left < triesMax
          : error instanceof ApiError && (error.status >= 500 || left < triesMax)
      if (!isUnknown && !stop.aborted) throw error
      if (left > 1 && !stop.aborted) {
        await systemClock.sleep(1_000, stop)
        continue
      }
      const again = `run it again with --idempotency-key ${idempotencyKey}, which sends at most once`
      const reason = error instanceof Error ? error.message : String(error)
      throw new CommandError(exits.undecided, `undecided: nobody can say whether it is stored (${reason}); ${again}`, {
        cause: error,
      })
    }
  }
}

function inputOf(options: Options): SendInput {
  const { to, data, gasLimit, speed, gasPrice, maxFee, maxTip, validUntil } = options
  if (to === undefined && data === undefined) throw usage('--to is missing; a contract creation needs --data instead')
  return {
    ...(to !== undefined && { to }),
    value: parseAmount('--value', options.value),
    ...(data !== undefined && { data }),
    ...(gasLimit !== undefined && { gas_limit: gasLimit }),
    ...(options.allowOutOfGas === true && { allow_out_of_gas: true }),
    ...(speed !== undefined && { speed }),
    ...(gasPrice !== undefined && { gas_price: parseAmount('--gas-price', gasPrice) }),
    ...(maxFee !== undefined && { max_fee_per_gas: parseAmount('--max-fee', maxFee) }),
    ...(maxTip !== undefined && { max_priority_fee_per_gas: parseAmount('--max-tip', maxTip) }),
    ...(validUntil !== undefined && { valid_until: validUntil }),
  }
}
