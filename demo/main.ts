// npm run demo: the main job on a chain of its own. Ends with 0, or with 1 if any verdict is not what it must be.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { print, say, styled } from './say.ts'
import { type Stage, setStage } from './stage.ts'
import { play } from './story.ts'

const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupt.abort())
const interrupted = once(interrupt.signal, 'abort').then(() => undefined)

try {
  process.exitCode = await run()
} catch (error) {
  say()
  say(styled('red', error instanceof Error ? (error.stack ?? error.message) : String(error)))
  if (error instanceof Error && error.cause !== undefined) say(String(error.cause))
  process.exitCode = 1
}

async function run(): Promise<number> {
  say(styled('bold', 'Rescind: an Ethereum relayer that takes transactions back'))
  say(
    'A local chain starts, and makes a block only when the demo says so; then the service, on a database file of its own.',
  )
  await using stage = await setStage()
  const allTrue = await Promise.race([playOrExplain(stage), interrupted])
  if (allTrue === undefined) return 130
  say()
  say(
    allTrue
      ? styled('green', 'Every verdict is what the chain shows.')
      : styled('red', 'A verdict is not what it must be.'),
  )
  if (process.stdout.isTTY && allTrue) await stayUp(stage)
  return allTrue ? 0 : 1
}

async function playOrExplain(stage: Stage): Promise<boolean> {
  try {
    return await play(stage)
  } catch (error) {
    say()
    say(`The last words of the service:\n${stage.service.logs().slice(-4000)}`)
    throw error
  }
}

/** A block a second, until Ctrl-C. */
async function stayUp({ anvil, service, payouts, treasury }: Stage): Promise<void> {
  const transactions = `${service.url}/api/v1/relayers/${treasury.id}/transactions`
  const authorization = `-H 'Authorization: Bearer ${service.apiKey}'`
  const body = JSON.stringify({ to: payouts.address, value: '1', data: '0x', speed: 'average' })
  say()
  say('It stays up, with a block a second, until Ctrl-C:')
  print(`Dashboard      ${service.url}/`)
  print(`  its key      ${service.apiKey}`)
  print(`API reference  ${service.url}/docs`)
  print(`Send           curl ${authorization} -H 'Content-Type: application/json' -d '${body}' ${transactions}`)
  print(`List           curl ${authorization} ${transactions}`)
  print(`Cancel all     curl -X DELETE ${authorization} ${transactions}/pending`)
  while (!interrupt.signal.aborted) {
    await anvil.mine()
    await sleep(1000, undefined, { signal: interrupt.signal }).catch(() => undefined)
  }
}
