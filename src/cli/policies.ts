// rescind policies: shows, sets and removes the policies of a relayer, such as the cap that holds it up.
import type { Command } from 'commander'
import { exactlyInEther, exactlyInGwei } from '../domain/shown-amount.ts'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connect, connectToRelayer, type RelayerOptions, relayerOf } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { pairs, parseAmount } from './format.ts'

export function addPolicies(program: Command, act: Act): void {
  const policies = program.command('policies').description("show and change a relayer's policies")
  relayerCommand(policies, 'show', 'show the policies of a relayer').action(act(showPolicies))
  relayerCommand(policies, 'set', 'set a policy, in force from the next step')
    .argument('<name>', 'name of the policy, such as gas_price_cap')
    .argument('<value>', 'an amount (50gwei, 1.5ether, wei), a number, true or false, or JSON')
    .action(
      act((around: Around, name: string, value: string, options: RelayerOptions) =>
        changePolicy(around, name, parseValue(name, value), options),
      ),
    )
  relayerCommand(policies, 'remove', 'remove a policy, so that its default counts')
    .argument('<name>', 'name of the policy')
    .action(act((around: Around, name: string, options: RelayerOptions) => changePolicy(around, name, null, options)))
}

async function showPolicies({ life, terminal }: Around, options: RelayerOptions): Promise<Exit> {
  const { client } = await connect(life, options)
  const { policies } = await client.relayer(await relayerOf(client, options))
  terminal.show(options, policies, () =>
    pairs(Object.entries(policies).map(([name, value]) => [name, shown(name, value)])),
  )
  return exits.done
}

async function changePolicy(
  { life, terminal }: Around,
  name: string,
  value: unknown,
  options: RelayerOptions,
): Promise<Exit> {
  const { client, relayer } = await connectToRelayer(life, options)
  // The service checks names and values: this release of the command may be older.
  const { policies } = await client.updateRelayer(relayer, { policies: { [name]: value } })
  const now = Object.entries(policies).find(([known]) => known === name)?.[1]
  terminal.show(options, policies, () => [`${relayer}: ${name} is ${now === undefined ? 'not set' : shown(name, now)}`])
  return exits.done
}

/** A whole number that JavaScript can't hold exactly stays text: amounts of wei may be larger. */
function parseValue(name: string, text: string): unknown {
  if (/^\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : text
  // The service says which policies take an address.
  if (/^\d/.test(text) && !text.startsWith('0x')) return parseAmount(name, text)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const prices: readonly string[] = ['gas_price_cap', 'cancel_gas_price_cap']
export const amounts: readonly string[] = [
  'min_balance',
  'low_balance',
  'cancel_reserve',
  'value_cap',
  'hold_above_value',
]

/** A policy as `policies set` takes it, with every digit: it was written by people. */
function shown(name: string, value: unknown): string {
  const wei = /^\d+$/.test(String(value)) ? BigInt(String(value)) : undefined
  if (wei !== undefined && prices.includes(name)) return asOption(exactlyInGwei(wei))
  if (wei !== undefined && amounts.includes(name)) return asOption(exactlyInEther(wei))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** `1,500.5 gwei` as `1500.5gwei`. */
function asOption(text: string): string {
  return text.replace(/[, ]/g, '')
}
