// The child process of each PKCS#11 library, as the service sees it. A library that hangs holds up nothing else, and ends with
// its process.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../ops/clock.ts'
import { waitBriefly } from '../ops/within.ts'
import { pinCodes } from './failure-table.ts'
import { KeyServiceError } from './key-service.ts'
import { withoutSecrets } from './pkcs11-environment.ts'
import { endOfModule, type FromModule, type TokenReply, type TokenRequest, type ToModule } from './pkcs11-messages.ts'
import type { PinRecord } from './pkcs11-pins.ts'

/** Far above what a small HSM under load takes for one signature. */
const hangsAfterMs = 5_000
const endWithinMs = 1_000

/** A token of a library, with one PIN. */
export interface TokenAccess {
  readonly number: number
  readonly label: string
  readonly pin: string
  readonly record: PinRecord
}

type Unaddressed<T> = T extends unknown ? Omit<T, 'id' | 'token' | 'tokenLabel'> : never
type Success = Exclude<TokenReply, { failure: unknown }>

export interface ModuleProcess {
  /** Throws KeyServiceError. The child is started by the first call, and after its end by the next. */
  call(access: TokenAccess, request: Unaddressed<TokenRequest>): Promise<Success>
  end(): Promise<void>
}

interface Waiting {
  readonly answered: AbortController
  readonly reply: (reply: TokenReply) => void
}

interface State {
  readonly clock: Clock
  readonly waiting: Map<number, Waiting>
  readonly accesses: Map<number, TokenAccess>
  child?: ChildProcess | undefined
  hangs: boolean
}

/** `pins`: of all tokens, which no environment may hold. */
export function moduleProcess(module: string, pins: () => readonly string[], clock: Clock): ModuleProcess {
  const state: State = { clock, waiting: new Map(), accesses: new Map(), hangs: false }
  let last = 0
  return {
    async call(access, request) {
      const refusal = access.record.refusal()
      if (refusal) throw new KeyServiceError(refusal.message, refusal)
      state.accesses.set(access.number, access)
      state.child ??= start(state, module, pins())
      last += 1
      const id = last
      const { promise, resolve } = Promise.withResolvers<TokenReply>()
      const answered = new AbortController()
      state.waiting.set(id, { answered, reply: resolve })
      send(state, { ...request, id, token: access.number, tokenLabel: access.label })
      const reply = await promise
      answered.abort()
      state.waiting.delete(id)
      if (!('failure' in reply)) return reply
      if (pinCodes.includes(reply.failure.code)) access.record.ends(reply.failure)
      throw new KeyServiceError(reply.failure.message, reply.failure)
    },
    async end() {
      const { child } = state
      if (!child) return
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      child.once('exit', () => resolve())
      send(state, endOfModule)
      await waitBriefly(clock, endWithinMs, () => ended)
      child.kill('SIGKILL')
    },
  }
}

function start(state: State, module: string, pins: readonly string[]): ChildProcess {
  // The built package holds the same file as JavaScript.
  const file = import.meta.url.endsWith('.ts') ? './pkcs11-child.ts' : './pkcs11-child.js'
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [module], {
    env: withoutSecrets(pins),
    // Flags of this process are not for another.
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('message', (message: FromModule) => receive(state, message))
  const ended = () => {
    if (state.child !== child) return
    state.child = undefined
    state.hangs = false
    for (const { record, label } of state.accesses.values()) record.breaksOff(label)
    const failure = { message: 'the process of its library ended', kind: 'transient', code: 'CHILD_ENDED' } as const
    for (const [id, { reply }] of state.waiting) reply({ id, failure })
  }
  child.on('error', ended)
  child.on('exit', ended)
  // The child does not keep this process from ending.
  child.unref()
  child.channel?.unref()
  return child
}

function send({ child }: State, message: ToModule): void {
  // A child that has just ended gets nothing; its end answers what waits.
  child?.send(message, () => undefined)
}

function receive(state: State, message: FromModule): void {
  if ('begun' in message) begin(state, message.begun)
  else if ('wantsPin' in message) givePin(state, message.wantsPin)
  else if ('loggedIn' in message) {
    state.accesses.get(message.loggedIn)?.record.ends(message.refusal)
    endIfHanging(state)
  } else state.waiting.get(message.id)?.reply(message)
}

function begin(state: State, id: number): void {
  const call = state.waiting.get(id)
  if (!call) return
  void state.clock.sleep(hangsAfterMs, call.answered.signal).then(() => {
    state.hangs ||= state.waiting.has(id)
    endIfHanging(state)
  })
}

/** Never during a login: nobody would learn whether the token counted a wrong PIN. */
function endIfHanging({ hangs, accesses, child }: State): void {
  const logsIn = [...accesses.values()].some(({ record }) => record.isUnderWay())
  if (hangs && !logsIn) child?.kill('SIGKILL')
}

function givePin(state: State, number: number): void {
  const access = state.accesses.get(number)
  if (!access) return
  const refusal = access.record.refusal()
  if (!refusal) access.record.begins()
  send(state, refusal ? { pinOf: number, refusal } : { pinOf: number, pin: access.pin })
}
