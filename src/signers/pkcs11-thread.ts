// The thread of one PKCS#11 library: it alone calls it. It is not the main thread of its process, which sees the service's end
// while a call blocks this one.
import { parentPort, workerData } from 'node:worker_threads'
import pkcs11 from 'pkcs11js'
import { endOfModule, type FromModule, type TokenRequest, type ToModule } from './pkcs11-messages.ts'
import { finalize, type Token, TokenFailure, type TokenModule } from './pkcs11-session.ts'
import { atRest, newToken, replyTo } from './pkcs11-token.ts'

const path: string = workerData.module
const newLibrary = () => new pkcs11.PKCS11()
const module: TokenModule = { path, newLibrary, tokens: new Set(), isInitialized: false }
const tokens = new Map<number, Token>()
const awaited = new Map<number, PromiseWithResolvers<string>>()

function post(message: FromModule): void {
  parentPort?.postMessage(message)
}

function tokenOf({ token: number, tokenLabel }: TokenRequest): Token {
  const known = tokens.get(number)
  if (known) return known
  const token = newToken(module, tokenLabel, {
    pin() {
      const waiting = Promise.withResolvers<string>()
      awaited.set(number, waiting)
      post({ wantsPin: number })
      return waiting.promise
    },
    ended: (refused) => post({ loggedIn: number, ...(refused && { refusal: dataOf(refused) }) }),
  })
  tokens.set(number, token)
  return token
}

function dataOf({ message, kind, code }: TokenFailure) {
  return { message, kind, code }
}

parentPort?.on('message', async (message: ToModule) => {
  if (message === endOfModule) {
    await atRest([...module.tokens])
    finalize(module)
    parentPort?.close()
  } else if ('pinOf' in message) {
    const waiting = awaited.get(message.pinOf)
    if ('pin' in message) waiting?.resolve(message.pin)
    else waiting?.reject(new TokenFailure(message.refusal.message, message.refusal.kind, message.refusal.code))
  } else post(await replyTo(tokenOf(message), message, () => post({ begun: message.id })))
})
