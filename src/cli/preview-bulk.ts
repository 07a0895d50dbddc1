// rescind bulk preview: what a bulk cancellation would cancel, and a token for it.
import { type BulkScopeOptions, scopeOf } from './bulk-scope.ts'
import type { Around } from './command.ts'
import { previewPairs } from './confirm-bulk.ts'
import { connect, type ServiceOptions } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { pairs } from './format.ts'

export interface PreviewOptions extends ServiceOptions, BulkScopeOptions {
  readonly json?: true
}

/** The token alone is on stdout, for a script. */
export async function previewBulk({ life, terminal }: Around, options: PreviewOptions): Promise<Exit> {
  const { client } = await connect(life, options)
  const scope = scopeOf(options)
  const preview = await client.previewBulkCancellation(scope)
  if (options.json) terminal.printJson(preview)
  else {
    for (const line of pairs([...previewPairs(scope, preview), ['expires', preview.expires_at]])) terminal.say(line)
    terminal.print(preview.token)
  }
  return exits.done
}
