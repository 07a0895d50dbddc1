// Requests a path many times at once, and reads nothing of the answers. A thread of its own, so that the one that takes the time
// does not wait for it.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

const { port, path, requests }: { port: number; path: string; requests: number } = workerData

const sockets = Array.from({ length: requests }, request)
await Promise.all(sockets.map((socket) => once(socket, 'connect')))
parentPort?.postMessage('sent')
// Sockets that are paused keep no thread alive.
await new Promise(() => setInterval(() => sockets.length, 60_000))

function request(): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  // The service may end a connection that nobody reads.
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
  return socket
}
