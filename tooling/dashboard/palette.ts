// Reduces a picture of a page to a palette, which makes the PNG a third as large.
import { crc32, deflateSync, inflateSync } from 'node:zlib'

interface Pixels {
  readonly width: number
  readonly height: number
  /** Red, green and blue, as one number a pixel. */
  readonly colors: Uint32Array
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const commonMax = 170
/** Few pixels, and unlike all common colors: a green dot would turn gray without them. */
const rareMax = 30

/** `png` is one of the browser's: 8 bits a channel, not interlaced. */
export function reducedToPalette(png: Buffer): Buffer {
  const { width, height, colors } = decode(png)
  const counts = new Map<number, number>()
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1)
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([color]) => color)
  const palette = withRare(byCount.slice(0, commonMax), byCount.slice(commonMax))
  const indexOf = new Map([...counts.keys()].map((color) => [color, nearest(palette, color)]))
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = indexOf.get(colors[y * width + x] ?? 0) ?? 0
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits, a palette.
  header.set([8, 3, 0, 0, 0], 8)
  const plte = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', plte),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Adds, one by one, the color that is farthest from the palette. */
function withRare(common: readonly number[], others: readonly number[]): readonly number[] {
  const palette = [...common]
  const left = new Map(others.map((color) => [color, distance(color, palette[nearest(palette, color)] ?? 0)]))
  while (palette.length < common.length + rareMax && left.size > 0) {
    const [[farthest] = [0]] = [...left].sort(([, one], [, other]) => other - one)
    palette.push(farthest)
    left.delete(farthest)
    for (const [color, before] of left) left.set(color, Math.min(before, distance(color, farthest)))
  }
  return palette
}

function nearest(palette: readonly number[], color: number): number {
  let best = 0
  for (const [index, other] of palette.entries())
    if (distance(color, other) < distance(color, palette[best] ?? 0)) best = index
  return best
}

function distance(one: number, other: number): number {
  return [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0)
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const frame = Buffer.alloc(8 + named.length)
  frame.writeUInt32BE(data.length, 0)
  frame.set(named, 4)
  frame.writeUInt32BE(crc32(named), 4 + named.length)
  return frame
}

function decode(png: Buffer): Pixels {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const channels = png[25] === 6 ? 4 : 3
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  const bytes = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, height, channels)
  const colors = new Uint32Array(width * height)
  for (let index = 0; index < colors.length; index += 1) colors[index] = bytes.readUIntBE(index * channels, 3)
  return { width, height, colors }
}

/** PNG, section 9: each row is stored as differences from its neighbors. */
function unfiltered(data: Buffer, stride: number, height: number, channels: number): Buffer {
  const out = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)] ?? 0
    for (let x = 0; x < stride; x += 1) {
      const left = x >= channels ? (out[y * stride + x - channels] ?? 0) : 0
      const up = y > 0 ? (out[(y - 1) * stride + x] ?? 0) : 0
      const corner = x >= channels && y > 0 ? (out[(y - 1) * stride + x - channels] ?? 0) : 0
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0
      out[y * stride + x] = (data[y * (stride + 1) + 1 + x] ?? 0) + predicted
    }
  }
  return out
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [byLeft, byUp, byCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (byLeft <= byUp && byLeft <= byCorner) return left
  return byUp <= byCorner ? up : corner
}
