// rescind signers probe: whether a key service signs now, and how fast.
import type { Command } from 'commander'
import { type Act, type Around, serviceCommand } from './command.ts'
import { connect, type ServiceOptions } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { pairs } from './format.ts'

export function addSigners(program: Command, act: Act): void {
  const signers = program.command('signers').description('the keys of relayers')
  serviceCommand(signers, 'probe', 'let a signer sign a fixed text, and show how fast its key service is')
    .argument('<id>', 'id of the signer')
    .action(act(probeSigner))
}

async function probeSigner({ life, terminal }: Around, id: string, options: ServiceOptions): Promise<Exit> {
  const { client } = await connect(life, options)
  const probe = await client.probeSigner(id)
  const { clock_ahead_seconds: ahead, token_ends_at: end } = probe
  terminal.show(options, probe, () =>
    pairs([
      ['address', probe.address],
      ['key', probe.key_version],
      ['latency', `${probe.latency_ms} ms`],
      ['clock', ahead === undefined ? 'unknown' : `${ahead} s ahead of the key service`],
      ['token', end === undefined ? 'none' : `ends ${end}`],
    ]),
  )
  return exits.done
}
