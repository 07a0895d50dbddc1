// Renders the reference page in a thread of its own: to load its package blocks a thread for half a second, and takes 40 MB
// of memory, which the thread gives back.
import { Worker } from 'node:worker_threads'
import type { FastifyApiReferenceOptions } from '@scalar/fastify-api-reference'

export interface Rendered {
  readonly html: RenderedFile
  readonly script: RenderedFile
}

interface RenderedFile {
  readonly type: string
  readonly bytes: Buffer
}

/** Of the thread. A file of its own would have another name in each build. */
const program = `
const { parentPort, workerData } = require('node:worker_threads')

async function render() {
  const [{ default: fastify }, { default: reference }] = await Promise.all(workerData.modules.map((each) => import(each)))
  const page = fastify()
  await page.register(reference, workerData.options)
  const read = async (url) => {
    const { headers, rawPayload } = await page.inject({ method: 'GET', url })
    return { type: String(headers['content-type']), bytes: Uint8Array.from(rawPayload) }
  }
  const prefix = workerData.options.routePrefix
  const [html, script] = [await read(prefix + '/'), await read(prefix + '/js/scalar.js')]
  parentPort.postMessage({ html, script }, [html.bytes.buffer, script.bytes.buffer])
  await page.close()
}

render()
`

/** It does one thing once: a small nursery is enough. */
const resourceLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 }

type Page = Readonly<Record<keyof Rendered, { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }>>

export async function renderPage(options: FastifyApiReferenceOptions): Promise<Rendered> {
  const modules = ['fastify', '@scalar/fastify-api-reference'].map((name) => import.meta.resolve(name))
  const { promise, resolve, reject } = Promise.withResolvers<Page>()
  const thread = new Worker(program, { eval: true, workerData: { modules, options }, execArgv: [], resourceLimits })
  thread.once('message', resolve).once('error', reject)
  thread.once('exit', () => reject(new Error('the thread that renders the reference page ended without it')))
  const { html, script } = await promise
  const bytesOf = ({ type, bytes }: Page['html']): RenderedFile => ({ type, bytes: Buffer.from(bytes.buffer) })
  return { html: bytesOf(html), script: bytesOf(script) }
}
