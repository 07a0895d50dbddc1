// A file for browsers: built once, compressed once, and shared by all responses.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { nextTurn } from '../../ops/clock.ts'

/** All responses share these buffers, so a slow client holds no copy. */
export interface Asset {
  readonly type: string
  readonly etag: string
  readonly plain: Buffer
  readonly gzipped: Buffer
}

const largeBytesMin = 65_536
let lastTurn: Promise<unknown> = Promise.resolve()

/** Handing a megabyte to the kernel takes milliseconds, so other requests come between two large files. */
function turnOfItsOwn(): Promise<unknown> {
  lastTurn = lastTurn.then(nextTurn)
  return lastTurn
}

export async function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset) {
  const { type, etag, plain, gzipped } = asset
  // A reader keeps its copy, and each time checks whether it is the newest.
  const varies = [reply.getHeader('vary'), 'accept-encoding'].filter((each) => each !== undefined)
  reply.header('cache-control', 'no-cache').header('etag', etag).header('vary', varies.join(', '))
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(request.headers['accept-encoding'] ?? ''))
  if (takesGzip) reply.header('content-encoding', 'gzip')
  const bytes = takesGzip ? gzipped : plain
  if (bytes.length >= largeBytesMin) await turnOfItsOwn()
  return reply.type(type).send(bytes)
}

export async function assetOf(type: string, plain: Buffer): Promise<Asset> {
  const etag = `"${createHash('sha256').update(plain).digest('base64url')}"`
  return { type, etag, plain, gzipped: await promisify(gzip)(plain) }
}

/** A failed build is tried again with the next request. */
export function once<T>(build: () => Promise<T>): () => Promise<T> {
  let built: Promise<T> | undefined
  return () => {
    built ??= build().catch((error: unknown) => {
      built = undefined
      throw error
    })
    return built
  }
}
