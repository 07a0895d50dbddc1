// rescind init: writes a configuration for one relayer, with a key of its own or an existing keystore.
import type { Command } from 'commander'
import type { Act, Around } from './command.ts'
import { type Exit, exits } from './exits.ts'
import type { InitOptions } from './init/initialize.ts'

export function addInit(program: Command, act: Act): void {
  program
    .command('init')
    .description('write config/config.json and .env for one relayer; a terminal prompts for missing options')
    .option('--rpc-url <url>', 'URL of a node; if it holds a key, set RPC_URL in the environment instead')
    .option('--network <name>', 'name of the network (default: by the chain id of the node)')
    .option('--relayer <id>', 'id of the relayer', 'main')
    .option('--keystore <path>', 'an existing keystore, which opens with KEYSTORE_PASSPHRASE (default: a new key)')
    .action(act(init))
}

async function init({ life, terminal }: Around, options: InitOptions): Promise<Exit> {
  const { initialize } = await import('./init/initialize.ts')
  const { address, files, isDevelopment } = await initialize({ life, terminal }, options)
  for (const file of files) terminal.say(`wrote ${file}`)
  terminal.say(`The relayer ${options.relayer} has the address ${address}: it pays for gas, so send it some.`)
  if (isDevelopment) terminal.say(`On anvil or Hardhat, this gives it 100 ether:\n${fundingCommand(address)}`)
  terminal.say('Then run:')
  const { npm_command: npm } = life.env
  const name = npm === 'exec' ? 'npx rescind' : 'rescind'
  for (const command of ['check', 'start', 'status']) terminal.print(`${name} ${command}`)
  return exits.done
}

/** For anvil and Hardhat, which share the method. The URL stays in .env, as it may hold a key. */
function fundingCommand(address: string): string {
  const balance = `0x${(100n * 10n ** 18n).toString(16)}`
  const call = { jsonrpc: '2.0', id: 1, method: 'hardhat_setBalance', params: [address, balance] }
  return `(. ./.env && curl -s -H 'content-type: application/json' -d '${JSON.stringify(call)}' "$RPC_URL")`
}
