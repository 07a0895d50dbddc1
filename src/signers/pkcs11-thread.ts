// The thread of one PKCS#11 token: it alone calls the vendor's library, one request after the other.
import { parentPort, workerData } from 'node:worker_threads'
import pkcs11 from 'pkcs11js'
import { endOfThread, type TokenRequest } from './pkcs11.ts'
import { forget } from './pkcs11-session.ts'
import { newToken, replyTo } from './pkcs11-token.ts'

const token = newToken(workerData, () => new pkcs11.PKCS11())

parentPort?.on('message', (request: TokenRequest | typeof endOfThread) => {
  if (request !== endOfThread) return parentPort?.postMessage(replyTo(token, request))
  forget(token)
  parentPort?.close()
})
