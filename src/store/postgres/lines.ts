// The sockets of the pools. When a firewall drops a connection silently, neither end notices: a unit that waits for its
// answer, and everything queued behind it, would wait for ever.
import { Socket } from 'node:net'

export interface Lines {
  /** For the driver: the socket of a new connection. */
  open(): Socket
  /**
   * The server seems not to answer. Call the returned function once the server answers again: it closes the connections that
   * received nothing in between, and their pending queries fail.
   */
  doubt(): () => void
}

export function openLines(): Lines {
  const sockets = new Set<Socket>()
  return {
    open() {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    doubt() {
      const heard = new Map([...sockets].map((socket) => [socket, socket.bytesRead]))
      return () => {
        for (const [socket, bytes] of heard) if (socket.bytesRead === bytes) socket.destroy()
      }
    },
  }
}
